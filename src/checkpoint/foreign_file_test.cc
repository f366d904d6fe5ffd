#include "checkpoint/foreign_file.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli {
namespace {

using ::testing::HasSubstr;

std::string Recognise(std::string_view text) {
  return RecogniseForeignFile(std::as_bytes(std::span(text)));
}

TEST(ForeignFile, RecognisesWhatPeopleFindInThePlaceOfWeights) {
  EXPECT_THAT(Recognise(""), HasSubstr("is empty"));
  EXPECT_THAT(Recognise("version https://git-lfs.github.com/spec/v1\noid sha256:1"),
              HasSubstr("git lfs pull"));
  EXPECT_THAT(Recognise("\xEF\xBB\xBF\n  <!DOCTYPE HTML>"), HasSubstr("HTML page"));
  EXPECT_THAT(Recognise("<html lang=\"en\">"), HasSubstr("HTML page"));
  EXPECT_THAT(Recognise("Entry not found"), HasSubstr("error message"));
  EXPECT_THAT(Recognise("{\"error\":\"Repository is gated\"}"), HasSubstr("error message"));
  EXPECT_THAT(Recognise("PK\x03\x04rest"), HasSubstr("PyTorch or ZIP"));
  EXPECT_THAT(Recognise("\x80\x02}q"), HasSubstr("pickle"));
  EXPECT_THAT(Recognise("GGUF\x03"), HasSubstr("GGUF"));
  EXPECT_THAT(Recognise("\x1f\x8b\x08"), HasSubstr("gzip"));
  EXPECT_THAT(Recognise(std::string(4096, '\0')), HasSubstr("zeros"));
  EXPECT_EQ(Recognise("anything else"), "");
}

}  // namespace
}  // namespace ocelli
