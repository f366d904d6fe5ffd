#include "cli/chat_dialogue.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace ocelli::cli {
namespace {

ChatMessage Message(std::string role, std::string text) {
  ChatMessage message;
  message.role = std::move(role);
  if (!text.empty()) message.content.push_back(ContentPart::Text(std::move(text)));
  return message;
}

ptrdiff_t NumPictures(const ChatMessage& message) {
  return std::count_if(message.content.begin(), message.content.end(), [](const ContentPart& part) {
    return part.type == ContentPart::Type::kImage;
  });
}

}  // namespace

ChatDialogue::ChatDialogue(std::string system) : system_(std::move(system)) { Clear(); }

void ChatDialogue::AddPicture(UsedPicture picture) { waiting_.push_back(std::move(picture)); }

void ChatDialogue::Ask(std::string text) {
  ChatMessage message = Message("user", std::move(text));
  message.content.insert(message.content.begin(), waiting_.size(), ContentPart::Image());
  messages_.push_back(std::move(message));
  std::move(waiting_.begin(), waiting_.end(), std::back_inserter(pictures_));
  waiting_.clear();
}

void ChatDialogue::Answered(std::string text) {
  messages_.push_back(Message("assistant", std::move(text)));
}

void ChatDialogue::TakeBack() {
  const auto first = pictures_.end() - NumPictures(messages_.back());
  waiting_.insert(waiting_.begin(), std::make_move_iterator(first),
                  std::make_move_iterator(pictures_.end()));
  pictures_.erase(first, pictures_.end());
  messages_.pop_back();
}

bool ChatDialogue::Reopen() {
  if (messages_.empty() || messages_.back().role != "assistant") return false;
  messages_.pop_back();
  return true;
}

void ChatDialogue::Clear() {
  messages_.clear();
  pictures_.clear();
  waiting_.clear();
  if (!system_.empty()) messages_.push_back(Message("system", system_));
}

std::vector<std::shared_ptr<const Patches>> ChatDialogue::Pictures() const {
  std::vector<std::shared_ptr<const Patches>> patches;
  for (const UsedPicture& picture : pictures_) patches.push_back(picture.patches);
  return patches;
}

}  // namespace ocelli::cli
