#include "cli/ocr_progress.h"

#include "gtest/gtest.h"

namespace ocelli::cli {
namespace {

TEST(OcrProgress, SpeedAndTimeLeftCountOnlyWhatWasReadNow) {
  EXPECT_EQ(OcrProgressText(0, 40, 0, 3), "0/40 pages");
  EXPECT_EQ(OcrProgressText(10, 10, 0, 3), "10/10 pages");
  EXPECT_EQ(OcrProgressText(30, 40, 5, 60), "30/40 pages, 5.0 a minute, 2 min left");
  EXPECT_EQ(OcrProgressText(1, 4, 1, 2), "1/4 pages, 30.0 a minute, 6 s left");
  EXPECT_EQ(OcrProgressText(1, 1001, 1, 36), "1/1001 pages, 1.7 a minute, 10.0 h left");
  EXPECT_EQ(OcrProgressText(4, 4, 4, 2), "4/4 pages, 120.0 a minute");
}

}  // namespace
}  // namespace ocelli::cli
