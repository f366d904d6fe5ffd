#ifndef OCELLI_API_SAMPLING_FIELDS_H_
#define OCELLI_API_SAMPLING_FIELDS_H_

#include "api/request_defaults.h"
#include "api/request_fields.h"
#include "base/error.h"
#include "engine/sampling_params.h"

namespace ocelli::api {

// Returns the defaults with what the fields of a request change: temperature, top_p, top_k, min_p,
// the three penalties, logit_bias, seed, stop, n, ignore_eos, loop_guard, logprobs, top_logprobs,
// and the length: max_completion_tokens before max_tokens before max_new_tokens, clipped to the
// context. A negative seed is its two's complement. **Errors**: kInvalidArgument with the field as
// `param`.
Result<SamplingParams> ReadSamplingFields(const RequestFields& fields,
                                          const RequestDefaults& defaults);

// Reads the bound of an answer's length: the first of `keys` that is set, clipped to the context.
// Every one that is set must be a whole number of at least 1. **Errors**: as above.
Status ReadMaxTokens(const RequestFields& fields, std::initializer_list<std::string_view> keys,
                     const RequestDefaults& defaults, SamplingParams& params);

}  // namespace ocelli::api

#endif  // OCELLI_API_SAMPLING_FIELDS_H_
