#ifndef OCELLI_PICTURE_PAGE_INK_H_
#define OCELLI_PICTURE_PAGE_INK_H_

// What is drawn on a page, told from the page itself. For the steps of the enhancement; throws what
// OpenCV throws.

#include <opencv2/core.hpp>

namespace ocelli {

// Returns how far each pixel, smoothed over 3x3, is from the mean of its surroundings: ink of any
// colour on ground of any colour stands out, slow changes of light do not.
// **Shapes**: `grey` 8-bit, one channel; so is the result.
cv::Mat LocalContrast(const cv::Mat& grey);

// Returns the grain of `grey` as a standard deviation, in levels of brightness: 0 where a quarter
// of the picture is without any, as in pictures that a program made. Text does not count.
// **Ref**: J. Immerkaer, Fast Noise Variance Estimation, 1996, with medians in place of means.
double NoiseOf(const cv::Mat& grey);

// Whether nothing can be read on a page: no pixel stands out from its surroundings by more than
// noise would make it.
bool IsBlank(const cv::Mat& grey);

// Returns 255 where there is ink and 0 elsewhere. Strokes wider than some 15 pixels
// count at their edges only.
cv::Mat InkMask(const cv::Mat& grey);

// Returns the median height of what looks like a letter in `ink`; 0 when there are too few.
// **Units**: pixels.
double LetterHeight(const cv::Mat& ink);

}  // namespace ocelli

#endif  // OCELLI_PICTURE_PAGE_INK_H_
