#include "hub/fake_hub.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/check.h"
#include "hub/digest.h"

namespace ocelli::testing {
namespace {

using nlohmann::json;

std::string Lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

bool IsLarge(const std::string& name) {
  return name.ends_with(".safetensors") || name == "tokenizer.json";
}

std::string GitHash(const std::string& content) {
  hub::Hasher hasher(hub::DigestKind::kGitBlob, content.size());
  hasher.Update(content);
  return hasher.Finish();
}

// Returns what stands between `before` and `after` in `text`; "" when they do not.
std::string Between(const std::string& text, const std::string& before, const std::string& after) {
  const size_t begin = text.find(before);
  if (begin == text.npos) return "";
  const size_t from = begin + before.size();
  const size_t end = after.empty() ? text.size() : text.find(after, from);
  return end == text.npos ? "" : text.substr(from, end - from);
}

FakeRequest ParseHead(const std::string& head) {
  FakeRequest request;
  const size_t line_end = head.find("\r\n");
  const std::string line = head.substr(0, line_end);
  const size_t space = line.find(' ');
  request.method = line.substr(0, space);
  request.target = line.substr(space + 1, line.rfind(' ') - space - 1);
  if (request.target.starts_with("http://")) {  // as proxies are asked
    request.target.erase(0, request.target.find('/', 7));
  }
  for (size_t at = line_end + 2; at < head.size();) {
    const size_t end = head.find("\r\n", at);
    const std::string header = head.substr(at, end - at);
    const size_t colon = header.find(": ");
    if (colon != header.npos) {
      request.headers[Lower(header.substr(0, colon))] = header.substr(colon + 2);
    }
    at = end + 2;
  }
  return request;
}

bool SendBytes(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return true;
}

}  // namespace

std::string FakeRequest::Header(const std::string& name) const {
  const auto found = headers.find(name);
  return found == headers.end() ? "" : found->second;
}

FakeHub::FakeHub() {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  OCELLI_CHECK(bind(listener_, reinterpret_cast<sockaddr*>(&address), size) == 0, "bind: {}",
               std::strerror(errno));
  OCELLI_CHECK(listen(listener_, 64) == 0, "listen: {}", std::strerror(errno));
  getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &size);
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

FakeHub::~FakeHub() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (const int fd : connections_) shutdown(fd, SHUT_RDWR);
  }
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  for (std::thread& thread : threads_) thread.join();
  close(listener_);
}

std::string FakeHub::url() const { return fmt::format("http://127.0.0.1:{}", port_); }

void FakeHub::AddModel(const std::string& repo, std::map<std::string, std::string> files) {
  Model model;
  std::string all;
  for (auto& [name, content] : files) {
    const std::string hash = IsLarge(name) ? hub::Sha256Hex(content) : GitHash(content);
    all += name + hash;
    AddContent(content);
    model.files[name] = {std::move(content), hash, IsLarge(name)};
  }
  model.commit = hub::Sha1Hex(all);
  const std::lock_guard lock(mutex_);
  models_[repo] = std::move(model);
}

std::string FakeHub::Commit(const std::string& repo) {
  const std::lock_guard lock(mutex_);
  return models_.at(repo).commit;
}

void FakeHub::RedirectLargeFilesTo(const std::string& url) {
  const std::lock_guard lock(mutex_);
  redirect_to_ = url;
}

void FakeHub::AddContent(const std::string& content) {
  const std::lock_guard lock(mutex_);
  contents_[hub::Sha256Hex(content)] = content;
}

void FakeHub::SetFault(Fault fault) {
  const std::lock_guard lock(mutex_);
  fault_ = std::move(fault);
}

std::vector<FakeRequest> FakeHub::requests() {
  const std::lock_guard lock(mutex_);
  return requests_;
}

uint64_t FakeHub::file_bytes_sent() {
  const std::lock_guard lock(mutex_);
  return file_bytes_sent_;
}

bool FakeHub::stopping() {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void FakeHub::Accept() {
  while (true) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) return;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    const std::lock_guard lock(mutex_);
    if (stopping_) {
      close(fd);
      return;
    }
    connections_.push_back(fd);
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void FakeHub::Serve(int fd) {
  std::string received;
  bool open = true;
  while (open) {
    const size_t end = received.find("\r\n\r\n");
    if (end != received.npos) {
      FakeRequest request = ParseHead(received.substr(0, end + 2));
      received.erase(0, end + 4);
      open = Answer(fd, std::move(request));
      continue;
    }
    char buffer[4096];
    const ssize_t got = recv(fd, buffer, sizeof(buffer), 0);
    if (got <= 0) break;
    received.append(buffer, static_cast<size_t>(got));
  }
  const std::lock_guard lock(mutex_);
  std::erase(connections_, fd);
  close(fd);
}

bool FakeHub::Answer(int fd, FakeRequest request) {
  FakeAnswer answer;
  Fault fault;
  {
    const std::lock_guard lock(mutex_);
    request.earlier = counts_[request.target]++;
    requests_.push_back(request);
    answer = MakeAnswer(request);
    fault = fault_;
  }
  if (fault) fault(request, answer);
  return Send(fd, request, answer);
}

const FakeHub::Model* FakeHub::FindModel(const std::string& repo) const {
  const auto found = models_.find(repo);
  return found == models_.end() ? nullptr : &found->second;
}

FakeAnswer FakeHub::MakeAnswer(const FakeRequest& request) {
  const std::string& target = request.target;
  if (request.Wants("/revision/")) {
    return HuggingFaceList(Between(target, "/api/models/", "/revision/"));
  }
  if (request.Wants("/repo/files?")) {
    return ModelScopeList(Between(target, "/api/v1/models/", "/repo/files?"));
  }
  if (target.starts_with("/content/")) {
    const auto found = contents_.find(target.substr(9));
    if (found != contents_.end()) return Content(request, found->second);
  }
  const bool modelscope = request.Wants("/repo?");
  const std::string repo =
      modelscope ? Between(target, "/api/v1/models/", "/repo?") : Between(target, "/", "/resolve/");
  const std::string name =
      modelscope ? Between(target, "&FilePath=", "") : target.substr(target.rfind('/') + 1);
  if (const Model* model = FindModel(repo)) {
    const auto file = model->files.find(name);
    if (file != model->files.end()) return FileAnswer(request, *model, file->second);
  }
  return {404, {{"X-Error-Code", "EntryNotFound"}}, "Entry not found"};
}

FakeAnswer FakeHub::HuggingFaceList(const std::string& repo) {
  const Model* model = FindModel(repo);
  if (model == nullptr) return {401, {{"X-Error-Code", "RepoNotFound"}}, "Repository not found"};
  json siblings = json::array();
  for (const auto& [name, file] : model->files) {
    json entry = {{"rfilename", name}, {"size", file.content.size()}};
    if (file.large) {
      entry["blobId"] = std::string(40, 'a');
      entry["lfs"] = {{"sha256", file.hash}, {"size", file.content.size()}, {"pointerSize", 134}};
    } else {
      entry["blobId"] = file.hash;
    }
    siblings.push_back(entry);
  }
  return {200, {}, json{{"id", repo}, {"sha", model->commit}, {"siblings", siblings}}.dump()};
}

FakeAnswer FakeHub::ModelScopeList(const std::string& repo) {
  const Model* model = FindModel(repo);
  if (model == nullptr) {
    return {404, {}, json{{"Code", 10010205001}, {"Message", "record not found"}}.dump()};
  }
  json files = json::array({{{"Path", "assets"}, {"Type", "tree"}, {"Size", 0}}});
  for (const auto& [name, file] : model->files) {
    files.push_back({{"Path", name},
                     {"Name", name},
                     {"Type", "blob"},
                     {"Size", file.content.size()},
                     {"Sha256", hub::Sha256Hex(file.content)}});
  }
  return {200, {}, json{{"Code", 200}, {"Data", {{"Files", files}}}, {"Success", true}}.dump()};
}

FakeAnswer FakeHub::FileAnswer(const FakeRequest& request, const Model& model, const File& file) {
  FakeAnswer answer;
  if (file.large && !redirect_to_.empty() && !request.Wants("/repo?")) {
    answer.status = 302;
    answer.headers["Location"] = redirect_to_ + "/content/" + file.hash;
  } else {
    answer = Content(request, file.content);
    answer.headers["ETag"] = "\"" + file.hash + "\"";
  }
  answer.headers["X-Repo-Commit"] = model.commit;
  if (file.large) {
    answer.headers["X-Linked-Etag"] = "\"" + file.hash + "\"";
    answer.headers["X-Linked-Size"] = std::to_string(file.content.size());
  }
  return answer;
}

FakeAnswer FakeHub::Content(const FakeRequest& request, const std::string& content) {
  const std::string range = request.Header("range");
  if (range.empty()) return {200, {{"Accept-Ranges", "bytes"}}, content};
  const std::string first = Between(range, "bytes=", "-");
  const std::string last = Between(range, "-", "");
  size_t begin = 0;
  size_t end = 0;
  std::from_chars(first.data(), first.data() + first.size(), begin);
  std::from_chars(last.data(), last.data() + last.size(), end);
  if (begin >= content.size()) {
    return {416, {{"Content-Range", fmt::format("bytes */{}", content.size())}}, ""};
  }
  end = std::min(end, content.size() - 1);
  return {206,
          {{"Content-Range", fmt::format("bytes {}-{}/{}", begin, end, content.size())}},
          content.substr(begin, end - begin + 1)};
}

bool FakeHub::Send(int fd, const FakeRequest& request, const FakeAnswer& answer) {
  std::string head = fmt::format("HTTP/1.1 {} Something\r\n", answer.status);
  for (const auto& [name, value] : answer.headers) head += fmt::format("{}: {}\r\n", name, value);
  if (!answer.headers.contains("Content-Length")) {
    head += fmt::format("Content-Length: {}\r\n", answer.body.size());
  }
  if (!SendBytes(fd, head + "\r\n")) return false;
  if (request.method == "HEAD") return true;
  std::string_view rest = std::string_view(answer.body).substr(0, answer.cut_after);
  const bool cut = rest.size() < answer.body.size();
  const bool is_file = answer.status == 200 ? !request.Wants("/api/") || request.Wants("/repo?")
                                            : answer.status == 206;
  while (!rest.empty() && !stopping()) {
    const std::string_view piece =
        answer.drip_bytes == 0 ? rest : rest.substr(0, answer.drip_bytes);
    std::this_thread::sleep_for(answer.drip_wait);
    {
      const std::lock_guard lock(mutex_);  // counted first: the client may be done at once
      if (is_file) file_bytes_sent_ += piece.size();
    }
    if (!SendBytes(fd, piece)) return false;
    rest.remove_prefix(piece.size());
  }
  return !cut && !answer.headers.contains("Connection");
}

}  // namespace ocelli::testing
