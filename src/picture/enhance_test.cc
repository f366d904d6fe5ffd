#include "picture/enhance.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <opencv2/imgproc.hpp>
#include <span>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "picture/cv_image.h"
#include "picture/decode.h"
#include "picture/deskew.h"
#include "picture/page_ink.h"
#include "picture/page_outline.h"
#include "picture/patches.h"
#include "picture/png_writer.h"

namespace ocelli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

const cv::Scalar kWhite(255, 255, 255);
const cv::Scalar kBlack(0, 0, 0);

const std::vector<std::string> kLines = {
    "The quick brown fox jumps over",  "the lazy dog near the river bank",
    "Invoice 2024-1187 total 38.50",   "Pack my box with five dozen jugs",
    "of liquid, then send them north", "Sphinx of black quartz, judge",
};

// A page of text as a program draws it.
cv::Mat TextPage(cv::Size size = {800, 600}, cv::Scalar ink = kBlack, cv::Scalar paper = kWhite,
                 double scale = 1.0) {
  cv::Mat page(size, CV_8UC3, paper);
  int y = 80;
  for (int round = 0; y < size.height - 30; ++round) {
    cv::putText(page, kLines[static_cast<size_t>(round) % kLines.size()], cv::Point(50, y),
                cv::FONT_HERSHEY_SIMPLEX, scale, ink, 2, cv::LINE_AA);
    y += static_cast<int>(60 * scale);
  }
  return page;
}

cv::Mat Noisy(const cv::Mat& page, double deviation) {
  cv::RNG random(7);
  cv::Mat noise(page.size(), CV_16SC3), sum;
  random.fill(noise, cv::RNG::NORMAL, 0, deviation);
  page.convertTo(sum, CV_16S);
  sum += noise;
  cv::Mat noisy;
  sum.convertTo(noisy, CV_8U);
  return noisy;
}

// `page` turned clockwise inside a frame of the same size.
cv::Mat Turned(const cv::Mat& page, double degrees) {
  const cv::Point2f middle(static_cast<float>(page.cols) / 2, static_cast<float>(page.rows) / 2);
  cv::Mat turned;
  cv::warpAffine(page, turned, cv::getRotationMatrix2D(middle, -degrees, 1), page.size(),
                 cv::INTER_CUBIC, cv::BORDER_CONSTANT, kWhite);
  return turned;
}

// `page` lying on a dark table, photographed at an angle; its corners come to `corners`.
cv::Mat Photographed(const cv::Mat& page, const std::vector<cv::Point2f>& corners, cv::Size size) {
  const auto w = static_cast<float>(page.cols);
  const auto h = static_cast<float>(page.rows);
  const std::vector<cv::Point2f> from = {{0, 0}, {w, 0}, {w, h}, {0, h}};
  cv::Mat photo;
  cv::warpPerspective(page, photo, cv::getPerspectiveTransform(from, corners), size, cv::INTER_AREA,
                      cv::BORDER_CONSTANT, cv::Scalar(60, 50, 40));
  return photo;
}

// `page` under a light that fades to `darkest` of itself towards the right.
cv::Mat Shadowed(const cv::Mat& page, double darkest) {
  cv::Mat shadowed = page.clone();
  for (int y = 0; y < page.rows; ++y) {
    for (int x = 0; x < page.cols; ++x) {
      const double part = static_cast<double>(x) / page.cols;
      shadowed.at<cv::Vec3b>(y, x) *= 1 - (1 - darkest) * part * part;
    }
  }
  return shadowed;
}

EnhancedImage Enhanced(const cv::Mat& page, const EnhanceOptions& options = {}) {
  auto enhanced = EnhancePicture(FromCv(page), options);
  EXPECT_TRUE(enhanced.ok());
  return std::move(enhanced).value();
}

std::vector<std::string> StepsOf(const cv::Mat& page, const EnhanceOptions& options = {}) {
  const EnhancedImage enhanced = Enhanced(page, options);
  return {enhanced.facts.steps.begin(), enhanced.facts.steps.end()};
}

double SkewOf(const RgbImage& image) { return FindSkew(image).value(); }

struct CleanPage {
  std::string name;
  cv::Mat page;
};

std::vector<CleanPage> CleanPages() {
  std::vector<CleanPage> pages = {
      {"black on white", TextPage()},
      {"white on black", TextPage({800, 600}, kWhite, kBlack)},
      {"dark blue on cream", TextPage({800, 600}, {20, 20, 90}, {250, 244, 220})},
      {"large letters", TextPage({900, 500}, kBlack, kWhite, 3)},
      {"tall screenshot", TextPage({500, 2600})},
  };
  cv::Mat highlighted = TextPage({800, 600}, kBlack, kWhite);
  for (const auto& [y, colour] : {std::pair(40, cv::Scalar(255, 255, 0)), {220, {230, 40, 40}}}) {
    cv::Mat strip = highlighted(cv::Rect(40, y, 600, 55));
    cv::min(strip, colour, strip);
  }
  pages.push_back({"highlighted", highlighted});
  cv::Mat chart(600, 800, CV_8UC3, kWhite);
  for (int i = 0; i < 6; ++i) {
    cv::rectangle(chart, cv::Rect(80 + 110 * i, 500 - 60 * i, 80, 60 * i + 40),
                  cv::Scalar(40 * i, 200 - 30 * i, 255 - 35 * i), cv::FILLED);
    cv::putText(chart, std::to_string(1200 + 37 * i), cv::Point(80 + 110 * i, 480 - 60 * i),
                cv::FONT_HERSHEY_SIMPLEX, 0.8, kBlack, 2, cv::LINE_AA);
  }
  pages.push_back({"chart", chart});
  cv::Mat window(700, 900, CV_8UC3, cv::Scalar(40, 44, 52));
  TextPage({600, 400}).copyTo(window(cv::Rect(120, 150, 600, 400)));
  pages.push_back({"a white window on a dark desktop", window});
  cv::Mat framed = TextPage();
  cv::rectangle(framed, cv::Rect(20, 20, 760, 560), kBlack, 3);
  pages.push_back({"framed", framed});
  cv::Mat word(64, 256, CV_8UC3, kWhite);
  cv::putText(word, "hello", cv::Point(60, 44), cv::FONT_HERSHEY_SIMPLEX, 1.2, kBlack, 2,
              cv::LINE_AA);
  pages.push_back({"one word", word});
  cv::Mat thirds(600, 900, CV_8UC3, kWhite);
  thirds(cv::Rect(0, 0, 300, 600)).setTo(cv::Scalar(200, 220, 240));
  thirds(cv::Rect(300, 0, 300, 600)).setTo(cv::Scalar(150, 190, 160));
  cv::putText(thirds, "three columns of colour", cv::Point(60, 300), cv::FONT_HERSHEY_SIMPLEX, 1.8,
              kBlack, 3, cv::LINE_AA);
  pages.push_back({"blocks of colour", thirds});
  return pages;
}

TEST(Enhance, CleanPagesComeBackBitForBit) {
  for (const CleanPage& clean : CleanPages()) {
    EnhanceOptions options;
    options.enlarge = true;
    const EnhancedImage enhanced = Enhanced(clean.page, options);
    EXPECT_THAT(enhanced.facts.steps, IsEmpty()) << clean.name;
    EXPECT_FALSE(enhanced.facts.blank) << clean.name;
    EXPECT_EQ(enhanced.image.pixels, FromCv(clean.page).pixels) << clean.name;
    EXPECT_EQ(enhanced.facts.to_original, Transform()) << clean.name;
  }
}

TEST(Enhance, BlankPagesStayAsTheyAre) {
  std::vector<CleanPage> pages;
  for (const int level : {0, 128, 255})
    pages.push_back({std::to_string(level), cv::Mat(600, 424, CV_8UC3, cv::Scalar::all(level))});
  const cv::Mat grey(600, 424, CV_8UC3, cv::Scalar::all(200));
  pages.push_back({"fine noise", Noisy(grey, 2)});
  pages.push_back({"coarse noise", Noisy(grey, 9)});
  pages.push_back({"shadow", Shadowed(grey, 0.3)});
  pages.push_back({"one pixel", cv::Mat(1, 1, CV_8UC3, kWhite)});
  for (const CleanPage& blank : pages) {
    const EnhancedImage enhanced = Enhanced(blank.page);
    EXPECT_TRUE(enhanced.facts.blank) << blank.name;
    EXPECT_EQ(enhanced.image.pixels, FromCv(blank.page).pixels) << blank.name;
  }
}

TEST(Enhance, APageWithOneSmallWordIsNotBlank) {
  for (const int level : {0, 128, 225}) {
    cv::Mat page(1200, 900, CV_8UC3, kWhite);
    cv::putText(page, "a", cv::Point(400, 600), cv::FONT_HERSHEY_SIMPLEX, 0.5,
                cv::Scalar::all(level), 1, cv::LINE_AA);
    EXPECT_FALSE(IsBlankPicture(FromCv(page)).value()) << level;
    EXPECT_FALSE(IsBlankPicture(FromCv(Noisy(page, 1))).value()) << level;
  }
}

TEST(Enhance, SkewedPagesBecomeLevel) {
  for (const double degrees : {-11.0, -3.0, 1.0, 3.0, 7.5}) {
    const EnhancedImage enhanced = Enhanced(Turned(TextPage(), degrees));
    EXPECT_THAT(enhanced.facts.steps, ElementsAre("deskew")) << degrees;
    EXPECT_NEAR(SkewOf(FromCv(Turned(TextPage(), degrees))), degrees, 0.2);
    EXPECT_EQ(SkewOf(enhanced.image), 0) << degrees;
  }
}

TEST(Enhance, TurnsByQuartersAsAsked) {
  cv::Mat page = TextPage({300, 200});
  for (const auto& [turn, code] : {std::pair(90, cv::ROTATE_90_CLOCKWISE),
                                   {180, cv::ROTATE_180},
                                   {270, cv::ROTATE_90_COUNTERCLOCKWISE}}) {
    EnhanceOptions options{turn, false, false, false, false, false, false, false};
    cv::Mat expected;
    cv::rotate(page, expected, code);
    EXPECT_EQ(Enhanced(page, options).image.pixels, FromCv(expected).pixels) << turn;
  }
  EXPECT_EQ(EnhancePicture(FromCv(page), EnhanceOptions{45}).error().code,
            ErrorCode::kInvalidArgument);
}

TEST(Enhance, PlacesMapBackToTheOriginal) {
  cv::Mat page = TextPage();
  const cv::Point mark(640, 470);
  cv::circle(page, mark, 12, cv::Scalar(255, 0, 0), cv::FILLED);
  cv::Mat skewed = Turned(page, 4);
  for (const int turn : {0, 90, 180, 270}) {
    EnhanceOptions options;
    options.turn = turn;
    options.page = false;
    options.deskew = turn == 0;
    const EnhancedImage enhanced = Enhanced(skewed, options);
    cv::Mat before, after;
    cv::inRange(skewed, cv::Scalar(200, 0, 0), cv::Scalar(255, 60, 60), before);
    cv::inRange(CvView(enhanced.image), cv::Scalar(200, 0, 0), cv::Scalar(255, 60, 60), after);
    const cv::Moments seen = cv::moments(after, true);
    const cv::Moments was = cv::moments(before, true);
    const PointPx back = MapPoint(enhanced.facts.to_original,
                                  {seen.m10 / seen.m00 + 0.5, seen.m01 / seen.m00 + 0.5});
    EXPECT_NEAR(back.x, was.m10 / was.m00 + 0.5, 0.5) << turn;
    EXPECT_NEAR(back.y, was.m01 / was.m00 + 0.5, 0.5) << turn;
  }
}

TEST(Enhance, APagePhotographedAtAnAngleFillsThePicture) {
  const std::vector<cv::Point2f> corners = {{150, 90}, {880, 150}, {930, 720}, {90, 650}};
  const cv::Mat photo = Photographed(TextPage(), corners, {1000, 800});
  const EnhancedImage enhanced = Enhanced(photo);
  ASSERT_THAT(enhanced.facts.steps, Contains("page"));
  const double w = enhanced.image.width_px;
  const double h = enhanced.image.height_px;
  const std::vector<PointPx> seen = {{0, 0}, {w, 0}, {w, h}, {0, h}};
  for (size_t i = 0; i < 4; ++i) {
    const PointPx back = MapPoint(enhanced.facts.to_original, seen[i]);
    EXPECT_NEAR(back.x, corners[i].x, 8) << i;
    EXPECT_NEAR(back.y, corners[i].y, 8) << i;
  }
  EXPECT_EQ(SkewOf(enhanced.image), 0);
}

TEST(Enhance, NoPageIsFoundWhereThereIsDoubt) {
  const std::vector<cv::Point2f> inside = {{150, 90}, {880, 150}, {930, 720}, {90, 650}};
  const std::vector<cv::Point2f> cut = {{-40, 90}, {880, 150}, {930, 720}, {-90, 650}};
  EXPECT_FALSE(FindPage(FromCv(Photographed(TextPage(), cut, {1000, 800}))).value().has_value());
  cv::Mat written = Photographed(TextPage(), inside, {1000, 800});
  cv::putText(written, "page 12 of 40, see also", cv::Point(60, 780), cv::FONT_HERSHEY_SIMPLEX, 1.6,
              kWhite, 3, cv::LINE_AA);
  EXPECT_FALSE(FindPage(FromCv(written)).value().has_value());
}

TEST(Enhance, ShadowsAreTakenOff) {
  const EnhancedImage enhanced = Enhanced(Noisy(Shadowed(TextPage(), 0.4), 1));
  EXPECT_THAT(enhanced.facts.steps, Contains("light"));
  const cv::Mat pixels = CvView(enhanced.image);
  const double left = cv::mean(pixels(cv::Rect(5, 100, 35, 400)))[0];
  const double right = cv::mean(pixels(cv::Rect(760, 100, 35, 400)))[0];
  EXPECT_LT(std::abs(left - right), 20) << left << " " << right;
  EXPECT_GT(right, 215);
}

TEST(Enhance, GrainIsSmoothedAndInkKept) {
  const cv::Mat noisy = Noisy(TextPage({800, 600}, kBlack, cv::Scalar::all(225)), 14);
  const EnhancedImage enhanced = Enhanced(noisy);
  EXPECT_THAT(enhanced.facts.steps, Contains("denoise"));
  EXPECT_LT(NoiseOf(GreyOf(enhanced.image)), 0.5 * NoiseOf(GreyOf(FromCv(noisy))));
  double darkest = 255;
  cv::minMaxLoc(GreyOf(enhanced.image), &darkest);
  EXPECT_LT(darkest, 40);
}

TEST(Enhance, FaintInkBecomesPlainAndItsGroundStays) {
  for (const bool dark : {false, true}) {
    const cv::Mat faint = dark ? TextPage({800, 600}, cv::Scalar::all(60), cv::Scalar::all(20))
                               : TextPage({800, 600}, cv::Scalar::all(200), cv::Scalar::all(240));
    const EnhancedImage enhanced = Enhanced(faint);
    EXPECT_THAT(enhanced.facts.steps, ElementsAre("contrast"));
    EXPECT_EQ(enhanced.image.pixels.front(), dark ? 0 : 255);
    double low = 0, high = 0;
    cv::minMaxLoc(GreyOf(enhanced.image), &low, &high);
    EXPECT_GE(high - low, 140);
  }
}

TEST(Enhance, SmallTextIsEnlargedAndMapsBack) {
  const cv::Mat small = TextPage({400, 300}, kBlack, kWhite, 0.35);
  EXPECT_THAT(StepsOf(small), IsEmpty());
  EnhanceOptions options;
  options.enlarge = true;
  const EnhancedImage enhanced = Enhanced(small, options);
  EXPECT_THAT(enhanced.facts.steps, ElementsAre("enlarge"));
  EXPECT_GT(enhanced.image.width_px, 480);
  const PointPx corner =
      MapPoint(enhanced.facts.to_original, {static_cast<double>(enhanced.image.width_px),
                                            static_cast<double>(enhanced.image.height_px)});
  EXPECT_NEAR(corner.x, 400, 1e-6);
  EXPECT_NEAR(corner.y, 300, 1e-6);
}

TEST(Enhance, AVeryLargePictureIsShrunkOnlyWhereAStepIsNeeded) {
  const cv::Mat page = TextPage({6000, 3000}, kBlack, kWhite, 5);
  EXPECT_EQ(Enhanced(page).image.pixels, FromCv(page).pixels);
  EnhanceOptions options;
  options.turn = 180;
  const EnhancedImage turned = Enhanced(page, options);
  EXPECT_THAT(turned.facts.steps, ElementsAre("shrink", "turn"));
  EXPECT_LE(turned.image.size().num_pixels(), 16'777'216u);
  const PointPx corner = MapPoint(turned.facts.to_original, {0, 0});
  EXPECT_NEAR(corner.x, 6000, 1e-6);
  EXPECT_NEAR(corner.y, 3000, 1e-6);
}

TEST(Enhance, BinarizesOnlyWhenAsked) {
  EnhanceOptions options;
  options.binarize = true;
  const EnhancedImage enhanced = Enhanced(Shadowed(TextPage(), 0.4), options);
  EXPECT_TRUE(std::ranges::all_of(enhanced.image.pixels,
                                  [](uint8_t sample) { return sample == 0 || sample == 255; }));
  EXPECT_THAT(StepsOf(Shadowed(TextPage(), 0.4)), Not(Contains("binarize")));
}

TEST(Enhance, EachStepCanBeLeftOut) {
  const EnhanceOptions none{0, false, false, false, false, false, false, false};
  const cv::Mat bad = Noisy(Shadowed(Turned(TextPage(), 3), 0.4), 20);
  const EnhancedImage untouched = Enhanced(bad, none);
  EXPECT_THAT(untouched.facts.steps, IsEmpty());
  EXPECT_EQ(untouched.image.pixels, FromCv(bad).pixels);
  EXPECT_THAT(StepsOf(bad), ElementsAre("deskew", "light", "denoise"));
}

TEST(Enhance, PicturesOfAnyShapeComeThrough) {
  cv::RNG random(3);
  const EnhanceOptions all{90, true, true, true, true, true, true, true};
  for (const auto& [width, height] :
       {std::pair(1, 1), {1, 200}, {200, 1}, {2, 3}, {31, 33}, {640, 7}}) {
    cv::Mat page(height, width, CV_8UC3);
    random.fill(page, cv::RNG::UNIFORM, 0, 256);
    const EnhancedImage enhanced = Enhanced(page, all);
    EXPECT_EQ(enhanced.image.pixels.size(),
              enhanced.image.row_bytes() * static_cast<size_t>(enhanced.image.height_px));
  }
}

TEST(Enhance, TheEnhancedPictureCanBeSeen) {
  const RgbImage image = Enhanced(Turned(TextPage(), 3)).image;
  const std::string file = EncodePng(image).value();
  const auto bytes = std::as_bytes(std::span(file));
  EXPECT_EQ(DecodePicture(bytes, DecodeLimits()).value().pixels, image.pixels);
}

TEST(Enhance, PatchesAreThoseOfTheEnhancedPixels) {
  ThreadPool pool(1);
  const EnhancedImage enhanced = Enhanced(Turned(TextPage(), 3));
  const Patches patches = PrepareEnhancedPicture(enhanced, {}, {}, pool).value();
  EXPECT_EQ(patches.key, PreparePicture(enhanced.image, {}, {}, pool).value().key);
  EXPECT_EQ(patches.original_size, (SizePx{800, 600}));
  EXPECT_EQ(patches.enhanced->size, enhanced.image.size());
}

TEST(Enhance, ItsFaultsAreErrors) {
  const auto failed = GuardCv("a test", []() -> Result<bool> {
    cv::Mat none, out;
    cv::cvtColor(none, out, cv::COLOR_RGB2GRAY);
    return true;
  });
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().code, ErrorCode::kInternal);
}

}  // namespace
}  // namespace ocelli
