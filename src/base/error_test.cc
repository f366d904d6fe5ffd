#include "base/error.h"

#include <memory>

#include "gtest/gtest.h"

namespace ocelli {
namespace {

Result<int> Half(int x) {
  if (x % 2 != 0) return Error{ErrorCode::kInvalidArgument, "odd", "x"};
  return x / 2;
}

Result<int> Quarter(int x) {
  OCELLI_ASSIGN_OR_RETURN(const int half, Half(x));
  OCELLI_ASSIGN_OR_RETURN(const int quarter, Half(half));
  return quarter;
}

Status CheckEven(int x) {
  OCELLI_RETURN_IF_ERROR(Half(x));
  return {};
}

TEST(Result, CarriesValueOrErrorThroughTheMacros) {
  EXPECT_EQ(*Quarter(12), 3);
  EXPECT_EQ(Quarter(6).error().message, "odd");
  EXPECT_EQ(Quarter(6).error().param, "x");
  EXPECT_TRUE(CheckEven(2).ok());
  EXPECT_EQ(CheckEven(1).error().code, ErrorCode::kInvalidArgument);
}

TEST(Result, HoldsTypesThatOnlyMove) {
  Result<std::unique_ptr<int>> result(std::make_unique<int>(5));
  std::unique_ptr<int> taken = std::move(result).value();
  EXPECT_EQ(*taken, 5);
}

TEST(Error, ContextGoesBeforeTheMessage) {
  const Error error{ErrorCode::kIo, "disk full", "out.txt"};
  EXPECT_EQ(error.WithContext("pack").message, "pack: disk full");
  EXPECT_EQ(error.WithContext("pack").param, "out.txt");
}

TEST(ResultDeathTest, ValueOfAnErrorIsOurBug) {
  EXPECT_DEATH((void)*Half(3), "value\\(\\) of an error: odd");
}

}  // namespace
}  // namespace ocelli
