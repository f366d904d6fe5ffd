#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "api/chat_request.h"
#include "api/data_url.h"
#include "api/predict.h"
#include "api/responses_request.h"
#include "api/test_support.h"
#include "gtest/gtest.h"

// What a large picture takes while its request is read: the body, which is there already, and its
// URL once.

namespace ocelli::api {
namespace {

constexpr size_t kPictureBytes = 12'000'000;

// Returns a field of /proc/self/status. **Units**: bytes.
size_t MemoryStatus(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::istringstream words(line);
    std::string name;
    size_t kilobytes = 0;
    if (words >> name >> kilobytes && name == field + ":") return kilobytes << 10;
  }
  return 0;
}

// Returns how much more memory `work` had at its fullest than there was before it.
template <typename Work>
size_t MostMemory(const Work& work) {
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak becomes what there is now
  const size_t before = MemoryStatus("VmRSS");
  work();
  return MemoryStatus("VmHWM") - before;
}

class RequestMemory : public ::testing::Test {
 protected:
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer keeps what was freed";
#endif
    if (std::ofstream peak("/proc/self/clear_refs"); !(peak << 5 << std::flush)) {
      GTEST_SKIP() << "this system does not reset the peak of a process";
    }
  }

  // Expects `parse` to take the picture out of a body around its URL, in the memory of one URL.
  template <typename Parse>
  void ExpectOneCopy(const std::string& before_url, const std::string& after_url,
                     const Parse& parse) {
    const std::string body = before_url + url_ + after_url;
    PictureReference picture;
    const size_t most = MostMemory([&] { picture = parse(body); });
    EXPECT_EQ(picture.url.size(), url_.size());
    EXPECT_LT(most, url_.size() + url_.size() / 10) << "for a URL of " << url_.size();
  }

  const std::string url_ = "data:image/png;base64," + std::string(kPictureBytes / 3 * 4, 'A');
};

TEST_F(RequestMemory, OfAChat) {
  ExpectOneCopy(
      R"({"messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":")",
      R"("}},{"type":"text","text":"?"}]}]})", [](std::string_view body) {
        auto request = ParseChatRequest(body, TestDefaults());
        return std::move(request->call.conversation.pictures.at(0));
      });
}

TEST_F(RequestMemory, OfAResponse) {
  ExpectOneCopy(R"({"input":[{"role":"user","content":[{"type":"input_image","image_url":")",
                R"("},{"type":"input_text","text":"?"}]}]})", [](std::string_view body) {
                  auto request = ParseResponsesRequest(body, TestDefaults());
                  return std::move(request->call.conversation.pictures.at(0));
                });
}

TEST_F(RequestMemory, OfATask) {
  for (const auto& [before, after] :
       {std::pair(R"({"question":"?","image":")", R"("})"),
        std::pair(R"({"question":"?","images":[{"url":")", R"("}]})")}) {
    ExpectOneCopy(before, after, [](std::string_view body) {
      auto call = ParsePredictRequest("application/json", body, TestDefaults());
      return std::move(call->conversation.pictures.at(0));
    });
  }
}

TEST_F(RequestMemory, OfTheDecodedPicture) {
  const size_t most = MostMemory([&] {
    const auto bytes = DecodeDataUrl(url_, kPictureBytes);
    ASSERT_TRUE(bytes.ok());
    EXPECT_EQ(bytes->size(), kPictureBytes);
  });
  EXPECT_LT(most, kPictureBytes + kPictureBytes / 10);
}

}  // namespace
}  // namespace ocelli::api
