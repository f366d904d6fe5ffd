#ifndef OCELLI_API_SAMPLING_FIELDS_H_
#define OCELLI_API_SAMPLING_FIELDS_H_

#include "api/request_defaults.h"
#include "api/request_fields.h"
#include "base/error.h"
#include "engine/sampling_params.h"

namespace ocelli::api {

// Returns the defaults with what the fields of a request change: temperature, top_p, top_k, min_p,
// the three penalties, logit_bias, seed, stop, n, ignore_eos, loop_guard, logprobs, top_logprobs,
// and the bound of the length, for which four names are known: max_completion_tokens before
// max_tokens before max_output_tokens before max_new_tokens, clipped to the context. A negative
// seed is its two's complement. **Errors**: kInvalidArgument with the field as `param`.
Result<SamplingParams> ReadSamplingFields(const RequestFields& fields,
                                          const RequestDefaults& defaults);

}  // namespace ocelli::api

#endif  // OCELLI_API_SAMPLING_FIELDS_H_
