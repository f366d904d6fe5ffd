#include "api/multipart.h"

#include <string>

#include "api/test_support.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace ocelli::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr std::string_view kType = "multipart/form-data; boundary=XX";

std::string Header(std::string_view rest) {
  return "Content-Disposition: form-data; " + std::string(rest) + "\r\n";
}

// A form of parts that are given with their headers.
std::string Form(const std::vector<std::string>& parts) {
  std::string form;
  for (const std::string& part : parts) form += "--XX\r\n" + part + "\r\n";
  return form + "--XX--\r\n";
}

TEST(Multipart, SplitsFieldsAndFiles) {
  const std::string bytes = std::string("\x89PNG\r\n\x00--XY\r\n", 13);
  const std::string form =
      Form({Header("name=\"question\"") + "\r\nwhat?",
            Header("name=\"picture\"; filename=\"a \\\"b\\\".png\"") +
                "Content-Type: image/png\r\n\r\n" + bytes,
            Header("name=plain") + "Content-Type: text/plain; charset=utf-8\r\n\r\n",
            Header("filename=x; name=\"blob\"") + "\r\n\r\n"});
  const auto parts = ParseMultipartForm(kType, form);
  ASSERT_TRUE(parts.ok()) << Verdict(parts);
  ASSERT_EQ(parts->size(), 4u);
  EXPECT_EQ((*parts)[0].name, "question");
  EXPECT_EQ((*parts)[0].content, "what?");
  EXPECT_FALSE((*parts)[0].is_file);
  EXPECT_EQ((*parts)[1].filename, "a \"b\".png");
  EXPECT_EQ((*parts)[1].content, bytes);
  EXPECT_TRUE((*parts)[1].is_file);
  EXPECT_EQ((*parts)[2].name, "plain");
  EXPECT_EQ((*parts)[2].content, "");
  EXPECT_FALSE((*parts)[2].is_file);
  EXPECT_EQ((*parts)[3].name, "blob");
  EXPECT_EQ((*parts)[3].content, "\r\n");
}

TEST(Multipart, AFileIsKnownByItsTypeWhenItHasNoName) {
  const auto parts = ParseMultipartForm(
      kType, Form({Header("name=a") + "Content-Type: application/octet-stream\r\n\r\nx"}));
  EXPECT_TRUE(parts->at(0).is_file);
}

TEST(Multipart, TakesPreambleQuotedBoundaryAndBlanksAfterIt) {
  const std::string form =
      "preamble\r\n--a b\t \r\n" + Header("NAME=\"q\"") + "\r\nx\r\n--a b--epilogue";
  const auto parts =
      ParseMultipartForm("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\"", form);
  ASSERT_TRUE(parts.ok()) << Verdict(parts);
  EXPECT_EQ(parts->at(0).content, "x");
}

TEST(Multipart, PathsKeepTheirBackslashes) {
  const auto parts = ParseMultipartForm(
      kType, Form({Header("name=\"p\"; filename=\"C:\\dir\\x.png\"") + "\r\nx"}));
  EXPECT_EQ(parts->at(0).filename, "C:\\dir\\x.png");
}

TEST(Multipart, RefusesBrokenForms) {
  const auto verdict = [](std::string_view body, std::string_view type = kType) {
    return Verdict(ParseMultipartForm(type, body));
  };
  EXPECT_THAT(verdict("", "multipart/form-data"), HasSubstr("boundary of 1 to 70"));
  EXPECT_THAT(verdict("", "multipart/form-data; boundary="), HasSubstr("boundary of 1 to 70"));
  EXPECT_THAT(verdict("", "multipart/form-data; boundary=" + std::string(71, 'x')),
              HasSubstr("boundary of 1 to 70"));
  EXPECT_THAT(verdict(""), HasSubstr("boundary is not in the body"));
  EXPECT_THAT(verdict("--XX"), HasSubstr("does not end its line"));
  EXPECT_THAT(verdict("--XXgarbage\r\n"), HasSubstr("does not end its line"));
  EXPECT_THAT(verdict("--XX\r\n"), HasSubstr("ends inside the headers"));
  EXPECT_THAT(verdict("--XX\r\n" + Header("name=a")), HasSubstr("ends inside the headers"));
  EXPECT_THAT(verdict("--XX\r\n" + Header("name=a") + "\r\nabc"), HasSubstr("ends inside a part"));
  EXPECT_THAT(verdict(Form({Header("filename=a") + "\r\nx"})), HasSubstr("has no name"));
  EXPECT_THAT(verdict(Form({"nonsense\r\n\r\nx"})), HasSubstr("broken header"));
  EXPECT_THAT(verdict(Form({Header("name=a") + "Content-Transfer-Encoding: base64\r\n\r\neA=="})),
              HasSubstr("encoded as \"base64\""));
}

TEST(Multipart, LimitsPartsAndTheirHeaders) {
  const std::string part = Header("name=a") + "\r\nx";
  EXPECT_TRUE(ParseMultipartForm(kType, Form(std::vector(kMaxFormParts, part))).ok());
  EXPECT_THAT(Verdict(ParseMultipartForm(kType, Form(std::vector(kMaxFormParts + 1, part)))),
              StartsWith("too_large body | "));
  const std::string long_line = "X: " + std::string(2 * kMaxFormHeaderBytes, 'x') + "\r\n";
  std::string many_lines;
  for (size_t i = 0; i < kMaxFormHeaderBytes; ++i) many_lines += "X: y\r\n";
  for (const std::string& headers : {long_line, many_lines}) {
    EXPECT_THAT(Verdict(ParseMultipartForm(kType, Form({headers + part}))),
                StartsWith("too_large body | "));
  }
}

TEST(Multipart, IsKnownByItsTypeAlone) {
  EXPECT_TRUE(IsMultipartForm("multipart/form-data; boundary=x"));
  EXPECT_TRUE(IsMultipartForm(" Multipart/FORM-DATA "));
  EXPECT_FALSE(IsMultipartForm("multipart/mixed; boundary=x"));
  EXPECT_FALSE(IsMultipartForm(""));
}

}  // namespace
}  // namespace ocelli::api
