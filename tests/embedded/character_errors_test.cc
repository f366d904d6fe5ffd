#include "character_errors.h"

#include <gtest/gtest.h>

namespace ocelli {
namespace {

TEST(CharacterErrors, CountsWhatIsAddedLeftOutAndChanged) {
  EXPECT_EQ(CharacterErrors("open 24", "open 24"), 0u);
  EXPECT_EQ(CharacterErrors("open 2", "open 24"), 1u);
  EXPECT_EQ(CharacterErrors("oopen 24", "open 24"), 1u);
  EXPECT_EQ(CharacterErrors("kitten", "sitting"), 3u);
  EXPECT_EQ(CharacterErrors("", "abc"), 3u);
  EXPECT_EQ(CharacterErrors("abc", ""), 3u);
}

TEST(CharacterErrors, CharactersCountWhateverTheirBytes) {
  EXPECT_EQ(CountCharacters("5 €"), 3u);
  EXPECT_EQ(CharacterErrors("5 £", "5 €"), 1u);
  EXPECT_EQ(CharacterErrors("图中没有文字。", "图中没有文字"), 1u);
  EXPECT_EQ(CharacterErrors("\xe2\x82", "€"), 1u);  // a cut character is one wrong one
}

}  // namespace
}  // namespace ocelli
