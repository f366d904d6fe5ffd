#ifndef OCELLI_CLI_ANSWER_H_
#define OCELLI_CLI_ANSWER_H_

#include <memory>
#include <string>
#include <vector>

#include "engine/request.h"
#include "picture/patches.h"
#include "text/tokenizer.h"

namespace ocelli::cli {

// One picture of a question, as it was used.
struct UsedPicture {
  std::string name;
  std::shared_ptr<const Patches> patches;
};

// A finished answer and how it came about.
struct Answer {
  std::string reasoning;  // of a Thinking model
  std::string text;
  std::vector<TokenId> token_ids;
  std::vector<TokenId> prompt_token_ids;
  std::vector<UsedPicture> pictures;
  FinishedEvent finished;
  double load_seconds = 0;     // the model
  double picture_seconds = 0;  // read, decode, resize, cut
};

// Returns what is to say about an answer that its bound cut off.
std::string CutOffLine(const Answer& answer);

// Returns the answer as the JSON document of `ocelli ask --json`.
std::string AnswerJson(const Answer& answer);

// Returns the lines of `--verbose`: "[Performance] stage: seconds", then what was used.
std::vector<std::string> PerformanceLines(const Answer& answer);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ANSWER_H_
