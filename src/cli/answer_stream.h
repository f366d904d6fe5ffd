#ifndef OCELLI_CLI_ANSWER_STREAM_H_
#define OCELLI_CLI_ANSWER_STREAM_H_

#include "base/error.h"
#include "cli/answer.h"
#include "cli/interrupt.h"
#include "engine/engine.h"
#include "engine/request.h"

namespace ocelli::cli {

// What of an answer is shown as it comes.
struct AnswerView {
  bool text = true;        // to stdout, a line end after it
  bool reasoning = false;  // to stderr, dim; otherwise only how much there is of it
};

// Runs one request to its end and collects it in `answer`: progress goes to stderr, the answer
// where `view` says. What `interrupts` names, or an output that takes no more, cancels the request;
// its end is waited for all the same.
// **Errors**: those of Engine::Submit; kIo when the text could not be written. How the answer ended
// is in answer.finished.
Status StreamAnswer(Engine& engine, GenerateRequest request, AnswerView view, Interrupts interrupts,
                    Answer& answer);

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_ANSWER_STREAM_H_
