#ifndef OCELLI_CLI_BYTE_TOKENIZER_H_
#define OCELLI_CLI_BYTE_TOKENIZER_H_

#include <memory>

#include "base/error.h"
#include "checkpoint/model_config.h"
#include "text/tokenizer.h"

namespace ocelli::cli {

// Makes the vocabulary of a model of random weights that came without one: token id i < 256 is byte
// i, and the control tokens of the chat template have the ids that `config` names, or free ones
// above 255. So have the template's roles, and the pieces they are merged from.
// **Errors**: kInvalidArgument when the vocabulary is too small for
// that.
Result<std::shared_ptr<const Tokenizer>> MakeByteTokenizer(const ModelConfig& config);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_BYTE_TOKENIZER_H_
