#include "timing.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <limits>
#include <utility>

namespace foothold::bench {

namespace {

using Clock = std::chrono::steady_clock;

double nanoseconds(Clock::duration duration) {
  return std::chrono::duration<double, std::nano>(duration).count();
}

// What this thread has used of its core: a batch is long enough to be interrupted by other
// programs, a round is not.
double thread_nanoseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e9 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec);
}

}  // namespace

policy::PolicyOptions main_options(safety::CertifiedSet certified) {
  policy::PolicyOptions options;
  options.optimism = policy::Optimism::L1Cholesky;
  options.caution = safety::Caution::Ellipsoid;
  options.certified = certified;
  return options;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) {
    return std::numeric_limits<double>::quiet_NaN();
  }
  std::sort(values.begin(), values.end());
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

double median(std::vector<double> values) {
  return quantile(std::move(values), 0.5);
}

double clock_overhead() {
  std::vector<double> times(10'001);
  for (double& time : times) {
    const Clock::time_point start = Clock::now();
    time = nanoseconds(Clock::now() - start);
  }
  return median(std::move(times));
}

std::vector<double> round_times(const PolicyMaker& make, const Eigen::VectorXd& mu,
                                std::span<const double> noise, int repetitions) {
  const double overhead = clock_overhead();
  std::vector<std::vector<double>> times(
      noise.size(), std::vector<double>(static_cast<std::size_t>(repetitions)));
  for (std::size_t repetition = 0; repetition < static_cast<std::size_t>(repetitions);
       ++repetition) {
    const std::unique_ptr<policy::Policy> policy = make();
    for (std::size_t round = 0; round < noise.size(); ++round) {
      const Clock::time_point start = Clock::now();
      const policy::Decision& decision = policy->ask();
      policy->tell(decision.id, mu.dot(decision.action) + noise[round]);
      const Clock::time_point end = Clock::now();
      times[round][repetition] = std::max(nanoseconds(end - start) - overhead, 1.0);
    }
  }
  std::vector<double> medians;
  medians.reserve(times.size());
  for (std::vector<double>& of_round : times) {
    medians.push_back(median(std::move(of_round)));
  }
  return medians;
}

double time_of(const std::function<void()>& work, int repetitions) {
  constexpr double kBatch = 2e6;  // nanoseconds: 1e5 times what the clock resolves
  const auto batch_time = [&](std::size_t count) {
    const double start = thread_nanoseconds();
    for (std::size_t i = 0; i < count; ++i) {
      work();
    }
    return thread_nanoseconds() - start;
  };
  std::size_t count = 1;
  while (batch_time(count) < kBatch && count < (std::size_t{1} << 30U)) {
    count *= 2;
  }
  std::vector<double> times;
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    times.push_back(batch_time(count) / static_cast<double>(count));
  }
  return median(std::move(times));
}

double growth_exponent(std::span<const double> sizes, std::span<const double> times) {
  const auto n = static_cast<Eigen::Index>(sizes.size());
  Eigen::ArrayXd x(n);
  Eigen::ArrayXd y(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    x(i) = std::log(sizes[static_cast<std::size_t>(i)]);
    y(i) = std::log(times[static_cast<std::size_t>(i)]);
  }
  x -= x.mean();
  return (x * (y - y.mean())).sum() / x.square().sum();
}

}  // namespace foothold::bench
