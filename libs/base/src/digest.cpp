#include "foothold/base/digest.hpp"

namespace foothold {

void Digest::add(std::string_view text) noexcept {
  add(static_cast<std::uint64_t>(text.size()));
  for (const char letter : text) {
    add(static_cast<std::uint64_t>(static_cast<unsigned char>(letter)));
  }
}

void Digest::add(const Eigen::Ref<const Eigen::MatrixXd>& matrix) noexcept {
  std::uint64_t sum = 0;
  std::uint64_t place = 0;
  for (Eigen::Index col = 0; col < matrix.cols(); ++col) {
    const double* entries = matrix.data() + col * matrix.outerStride();
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      place += kGolden;
      std::uint64_t word = std::bit_cast<std::uint64_t>(entries[row]) + place;
      // One by one: most vectors are short, and few CPUs multiply such words side by side.
      asm("" : "+r"(word));
      sum += mixed(word);
    }
  }
  add(static_cast<std::uint64_t>(matrix.rows()) << 32U ^ static_cast<std::uint64_t>(matrix.cols()));
  add(sum);
}

}  // namespace foothold
