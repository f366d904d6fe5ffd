#ifndef OCELLI_CLI_CHAT_DIALOGUE_H_
#define OCELLI_CLI_CHAT_DIALOGUE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "cli/answer.h"
#include "picture/patches.h"
#include "text/chat_template.h"

namespace ocelli::cli {

// The turns of a chat: what was said, about which pictures, and what the next message will show.
class ChatDialogue {
 public:
  // `system` is the first message when it is not empty.
  explicit ChatDialogue(std::string system);

  // Takes a picture into the next message.
  void AddPicture(UsedPicture picture);
  // Begins a turn: the pictures added since the last one, then `text`.
  void Ask(std::string text);
  // Ends it with what was answered.
  void Answered(std::string text);
  // Takes it back, as if it had not begun; its pictures wait for the next message again.
  void TakeBack();
  // Takes the last answer back, so that its question stands open again. Returns false when there is
  // none.
  bool Reopen();
  // Forgets everything but the system message.
  void Clear();

  const std::vector<ChatMessage>& messages() const { return messages_; }
  // Pictures of the messages, in order.
  std::vector<std::shared_ptr<const Patches>> Pictures() const;
  size_t num_waiting_pictures() const { return waiting_.size(); }

 private:
  std::string system_;
  std::vector<ChatMessage> messages_;
  std::vector<UsedPicture> pictures_;  // of the messages
  std::vector<UsedPicture> waiting_;   // for the next one
};

}  // namespace ocelli::cli

#endif  // OCELLI_CLI_CHAT_DIALOGUE_H_
