#include "foothold/base/digest.hpp"

namespace foothold {

void Digest::add(std::string_view text) noexcept {
  add(static_cast<std::uint64_t>(text.size()));
  for (const char letter : text) {
    add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
  }
}

void Digest::add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept {
  add(static_cast<std::uint64_t>(matrix.rows()));
  add(static_cast<std::uint64_t>(matrix.cols()));
  for (Eigen::Index col = 0; col < matrix.cols(); ++col) {
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      add(matrix(row, col));
    }
  }
}

}  // namespace foothold
