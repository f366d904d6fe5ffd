#ifndef OCELLI_TENSOR_MAT_H_
#define OCELLI_TENSOR_MAT_H_

#include <cstddef>
#include <type_traits>

#include "base/aligned_buffer.h"
#include "base/check.h"

namespace ocelli {

// A borrowed row-major matrix: element (r, c) is data[r * stride + c]. MatView<const T> reads only.
template <typename T>
class MatView {
 public:
  MatView() = default;
  // **Units**: `stride` in elements, at least `cols`.
  MatView(T* data, size_t rows, size_t cols, size_t stride) noexcept
      : data_(data), rows_(rows), cols_(cols), stride_(stride) {}
  MatView(T* data, size_t rows, size_t cols) noexcept : MatView(data, rows, cols, cols) {}
  // A view that writes converts to one that reads.
  template <typename U>
  requires(std::is_const_v<T>&& std::is_same_v<U, std::remove_const_t<T>>)
      MatView(const MatView<U>& other)
  noexcept  // NOLINT: implicit
      : MatView(other.data(), other.rows(), other.cols(), other.stride()) {}

  T* data() const noexcept { return data_; }
  size_t rows() const noexcept { return rows_; }
  size_t cols() const noexcept { return cols_; }
  size_t stride() const noexcept { return stride_; }
  bool empty() const noexcept { return rows_ == 0 || cols_ == 0; }

  T* Row(size_t r) const noexcept { return data_ + r * stride_; }
  T& operator()(size_t r, size_t c) const noexcept { return data_[r * stride_ + c]; }

  // Returns rows [begin, begin + count) of this view.
  MatView Rows(size_t begin, size_t count) const noexcept {
    return MatView(data_ + begin * stride_, count, cols_, stride_);
  }
  // Returns columns [begin, begin + count) of this view.
  MatView Cols(size_t begin, size_t count) const noexcept {
    return MatView(data_ + begin, rows_, count, stride_);
  }

 private:
  T* data_ = nullptr;
  size_t rows_ = 0;
  size_t cols_ = 0;
  size_t stride_ = 0;
};

// An owned row-major matrix of zeros, 64-byte aligned, without padding between rows.
template <typename T>
class Mat {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Mat() = default;
  Mat(size_t rows, size_t cols) : buffer_(rows * cols * sizeof(T)), rows_(rows), cols_(cols) {}

  T* data() { return reinterpret_cast<T*>(buffer_.data()); }
  const T* data() const { return reinterpret_cast<const T*>(buffer_.data()); }
  size_t rows() const { return rows_; }
  size_t cols() const { return cols_; }
  MatView<T> view() { return MatView<T>(data(), rows_, cols_); }
  MatView<const T> view() const { return MatView<const T>(data(), rows_, cols_); }

  // Returns the first `count` rows: buffers are planned for the largest batch and used in part.
  MatView<T> Top(size_t count) {
    OCELLI_CHECK(count <= rows_, "{} rows of a matrix of {}", count, rows_);
    return MatView<T>(data(), count, cols_);
  }

 private:
  AlignedBuffer buffer_;
  size_t rows_ = 0;
  size_t cols_ = 0;
};

}  // namespace ocelli

#endif  // OCELLI_TENSOR_MAT_H_
