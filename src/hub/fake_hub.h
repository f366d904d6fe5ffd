#ifndef OCELLI_HUB_FAKE_HUB_H_
#define OCELLI_HUB_FAKE_HUB_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

// Test code only.
namespace ocelli::testing {

struct FakeRequest {
  std::string method;
  std::string target;                          // path and query
  std::map<std::string, std::string> headers;  // by lower-case name
  int earlier = 0;                             // requests for the same target before this one

  bool Wants(const std::string& text) const { return target.find(text) != target.npos; }
  std::string Header(const std::string& name) const;
};

// What a fault may change before it is sent.
struct FakeAnswer {
  int status = 200;
  std::map<std::string, std::string> headers;
  std::string body;
  // Bytes of the body that are sent before the connection is cut.
  uint64_t cut_after = std::numeric_limits<uint64_t>::max();
  // Bytes sent at a time, and the wait before each; 0: all at once.
  size_t drip_bytes = 0;
  std::chrono::milliseconds drip_wait{0};
};

// A hub on a loopback port that answers as Hugging Face and as ModelScope do, with faults on
// demand. Also a proxy: it takes requests with whole URLs.
class FakeHub {
 public:
  using Fault = std::function<void(const FakeRequest&, FakeAnswer&)>;

  FakeHub();
  ~FakeHub();
  FakeHub(const FakeHub&) = delete;
  FakeHub& operator=(const FakeHub&) = delete;

  // Returns "http://127.0.0.1:PORT".
  std::string url() const;

  // Gives the hub a model. Files that end in .safetensors, and tokenizer.json, are large ones,
  // which are named by their SHA-256. A second call makes a new commit, to which "main" leads.
  void AddModel(const std::string& repo, std::map<std::string, std::string> files);
  // Returns the commit that "main" of the model is.
  std::string Commit(const std::string& repo);
  // Makes large files come from another place: "" or the url() of another hub.
  void RedirectLargeFilesTo(const std::string& url);
  // Puts content where large files of others are redirected to.
  void AddContent(const std::string& content);
  // Changes every answer; called on the connection's thread.
  void SetFault(Fault fault);

  std::vector<FakeRequest> requests();
  // Returns the bytes of bodies of files sent so far.
  uint64_t file_bytes_sent();

 private:
  struct File {
    std::string content;
    std::string hash;  // SHA-256 or git's SHA-1
    bool large = false;
  };
  struct Model {
    std::string commit;
    std::map<std::string, File> files;
  };

  void Accept();
  void Serve(int fd);
  bool Answer(int fd, FakeRequest request);
  FakeAnswer MakeAnswer(const FakeRequest& request);
  FakeAnswer HuggingFaceList(const std::string& repo);
  FakeAnswer ModelScopeList(const std::string& repo);
  FakeAnswer FileAnswer(const FakeRequest& request, const Model& model, const File& file);
  static FakeAnswer Content(const FakeRequest& request, const std::string& content);
  const Model* FindModel(const std::string& repo) const;
  bool Send(int fd, const FakeRequest& request, const FakeAnswer& answer);
  bool stopping();

  int listener_ = -1;
  int port_ = 0;
  std::mutex mutex_;
  bool stopping_ = false;
  std::map<std::string, Model> models_;
  std::map<std::string, std::string> contents_;  // by SHA-256
  std::string redirect_to_;
  Fault fault_;
  std::vector<FakeRequest> requests_;
  std::map<std::string, int> counts_;
  uint64_t file_bytes_sent_ = 0;
  std::vector<int> connections_;
  std::vector<std::thread> threads_;
  std::thread acceptor_;
};

}  // namespace ocelli::testing

#endif  // OCELLI_HUB_FAKE_HUB_H_
