#include "page/page_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace ocelli::page {
namespace {

const server::StaticFile* Find(const std::vector<server::StaticFile>& files,
                               std::string_view path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [path](const auto& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

TEST(PageFiles, HoldsThePageItselfCompressed) {
  const auto files = PageFiles();
  const server::StaticFile* page = Find(files, "/");
  ASSERT_NE(page, nullptr);
  EXPECT_EQ(page->content_type, "text/html; charset=utf-8");
  EXPECT_EQ(page->content_encoding, "gzip");
  EXPECT_TRUE(page->content.starts_with("\x1f\x8b"));
  EXPECT_FALSE(page->immutable);
}

TEST(PageFiles, HaveOnePathTypeAndContentEach) {
  std::set<std::string> paths;
  for (const server::StaticFile& file : PageFiles()) {
    EXPECT_TRUE(paths.insert(file.path).second) << file.path;
    EXPECT_TRUE(file.path.starts_with('/')) << file.path;
    EXPECT_FALSE(file.path.ends_with(".gz")) << file.path;
    EXPECT_NE(file.content_type, "application/octet-stream") << file.path;
    EXPECT_FALSE(file.content.empty()) << file.path;
    EXPECT_EQ(file.immutable, file.path.starts_with("/assets/")) << file.path;
  }
  EXPECT_GT(paths.size(), 20u);
}

TEST(PageFiles, HaveThePolicyThatIsInThePageItself) {
  for (const server::StaticFile& file : PageFiles()) {
    EXPECT_TRUE(file.policy.starts_with("default-src 'self'; script-src 'self'; ")) << file.policy;
    EXPECT_EQ(file.policy.find("frame-ancestors"), std::string_view::npos) << "the server adds it";
  }
}

TEST(PageFiles, HoldsScriptsStylesFontsAndTheIcon) {
  const auto files = PageFiles();
  EXPECT_NE(Find(files, "/favicon.svg"), nullptr);
  EXPECT_NE(Find(files, "/first_paint.js"), nullptr);
  std::set<std::string> types;
  for (const server::StaticFile& file : files) types.insert(file.content_type);
  EXPECT_THAT(types,
              testing::IsSupersetOf({"text/javascript; charset=utf-8", "text/css; charset=utf-8",
                                     "image/svg+xml", "image/png", "font/woff2"}));
}

}  // namespace
}  // namespace ocelli::page
