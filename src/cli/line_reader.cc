#include "cli/line_reader.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace ocelli::cli {

Result<LineReader::Outcome> LineReader::Read(std::string& line) {
  size_t searched = 0;
  while (true) {
    const size_t end = buffered_.find('\n', searched);
    if (end != std::string::npos) {
      line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      if (line.ends_with('\r')) line.pop_back();
      return Outcome::kLine;
    }
    searched = buffered_.size();
    if (at_end_ && buffered_.empty()) return Outcome::kEnd;
    if (at_end_) {
      line = std::exchange(buffered_, {});
      return Outcome::kLine;
    }
    OCELLI_ASSIGN_OR_RETURN(const Outcome outcome, Fill());
    if (outcome == Outcome::kInterrupted) return outcome;
  }
}

Result<LineReader::Outcome> LineReader::Fill() {
  if (buffered_.size() > kMaxLineBytes) {
    return Error{ErrorCode::kTooLarge,
                 fmt::format("a line has more than {} bytes, which is the limit", kMaxLineBytes),
                 "stdin"};
  }
  std::array<char, 65536> chunk{};
  const ssize_t got = read(fd_, chunk.data(), chunk.size());
  if (got > 0) {
    buffered_.append(chunk.data(), static_cast<size_t>(got));
    return Outcome::kLine;
  }
  if (got == 0) {
    at_end_ = true;
    return Outcome::kEnd;
  }
  if (errno == EINTR) {
    buffered_.clear();
    return Outcome::kInterrupted;
  }
  return Error{ErrorCode::kIo, fmt::format("cannot read standard input: {}", std::strerror(errno)),
               "stdin"};
}

}  // namespace ocelli::cli
