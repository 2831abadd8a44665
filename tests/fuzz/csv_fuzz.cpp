#include "document/csv_matrix.hpp"
#include "fuzz_support.hpp"

// Input: the text of a matrix. One that is accepted has entries, all of them finite.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace foothold;
  Eigen::MatrixXd matrix;
  const bool is_read = fuzz::survives(
      [&] { matrix = config::parse_csv_matrix(fuzz::text_of(data, size), "fuzz", "matrix"); });
  if (is_read && (matrix.size() == 0 || !matrix.allFinite())) {
    fuzz::fail("a matrix without entries, or with one that is not finite, is accepted");
  }
  return 0;
}
