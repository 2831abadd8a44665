#include "foothold/base/rounding.hpp"

#include <cfenv>

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"

namespace foothold::rounding {
namespace {

bool is_nearest() {
#if defined(__SSE2__)
  // The two bits of the rounding mode, flush-to-zero and denormals-are-zero.
  constexpr unsigned kDirected = 0x6000;
  constexpr unsigned kFlushToZero = 0x8000;
  constexpr unsigned kDenormalsAreZero = 0x0040;
  return (_mm_getcsr() & (kDirected | kFlushToZero | kDenormalsAreZero)) == 0;
#else
  return std::fegetround() == FE_TONEAREST;
#endif
}

}  // namespace

void require_nearest() {
  if (!is_nearest()) {
    throw Error(ErrorCode::Unavailable, "rounding",
                "must be to nearest, with subnormal numbers kept, where certificates are issued; "
                "some code of this process has changed the mode");
  }
}

double scaled_norm_upper(const Eigen::Ref<const Eigen::VectorXd>& v) {
  if (!v.allFinite()) {
    return kInfinity;
  }
  const double largest = v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff();
  if (largest == 0.0) {
    return 0.0;
  }
  // A power of two scales without rounding; what underflows in the square then is below
  // u² of the sum, which the allowance of n + 4 operations covers.
  const int exponent = std::ilogb(largest);
  double sum = 0.0;
  for (Eigen::Index i = 0; i < v.size(); ++i) {
    const double scaled = std::scalbn(v(i), -exponent);
    sum += scaled * scaled;
  }
  // Scaling back rounds only below the normal range, by less than the distance to the next number.
  const double norm = inflate(std::sqrt(sum), static_cast<double>(v.size()) + 4.0);
  return std::nextafter(std::scalbn(norm, exponent), kInfinity);
}

}  // namespace foothold::rounding
