#include "memory/nested_memory.hpp"

#include "foothold/base/error.hpp"
#include "foothold/base/infinity.hpp"

#include "memory/certificate_bytes.hpp"

namespace foothold::policy {

NestedMemory::NestedMemory(Eigen::Index dim, std::size_t constraints, Eigen::Index arms)
    : proved_(static_cast<std::size_t>(arms), false),
      proposed_(proved_),
      actions_(dim, arms > 0 ? 0 : kCapacity),
      certificates_(static_cast<std::size_t>(arms > 0 ? arms : kCapacity)),
      image_(dim) {
  for (safety::Certificate& certificate : certificates_) {
    certificate.constraints.resize(constraints);
  }
}

void NestedMemory::propose_arm(Eigen::Index arm, const safety::Certificate& certificate) {
  proposed_[static_cast<std::size_t>(arm)] = true;
  certificates_[static_cast<std::size_t>(arm)] = certificate;
}

void NestedMemory::keep_action(const Eigen::VectorXd& action,
                               const safety::Certificate& certificate,
                               const Eigen::VectorXd& mu_hat) noexcept {
  Eigen::Index place = kept_;
  if (kept_ < kCapacity) {
    ++kept_;
  } else {
    double worst = mu_hat.dot(action);
    place = -1;
    for (Eigen::Index i = 0; i < kept_; ++i) {
      const double loss = mu_hat.dot(actions_.col(i));
      if (loss > worst) {
        worst = loss;
        place = i;
      }
    }
    if (place < 0) {
      return;  // the new one is the worst
    }
  }
  actions_.col(place) = action;
  certificates_[static_cast<std::size_t>(place)] = certificate;
}

NestedMemory::Best NestedMemory::best_action(const estimation::ConfidenceRegion& region,
                                             bool is_ellipsoidal) const {
  Best best{.index = -1, .optimistic_loss = kInfinity};
  for (Eigen::Index i = 0; i < kept_; ++i) {
    image_.noalias() = region.root_inverse().transpose() * actions_.col(i);
    const double width = is_ellipsoidal ? region.radius() * image_.norm()
                                        : region.l1_radius() * image_.cwiseAbs().maxCoeff();
    const double loss = region.mu_hat().dot(actions_.col(i)) - width;
    if (loss < best.optimistic_loss) {
      best = {.index = i, .optimistic_loss = loss};
    }
  }
  return best;
}

bool NestedMemory::remembers(const Eigen::VectorXd& action, const std::optional<Eigen::Index>& arm,
                             const Digest128& digest) const {
  if (arm) {
    const auto place = static_cast<std::size_t>(*arm);
    return place < proved_.size() && proved_[place] && certificates_[place].digest == digest;
  }
  for (Eigen::Index i = 0; i < kept_; ++i) {
    if (actions_.col(i) == action && certificate(i).digest == digest) {
      return true;
    }
  }
  return false;
}

void NestedMemory::save(ByteWriter& out) const {
  out.write(static_cast<std::int64_t>(kept_));
  for (Eigen::Index i = 0; i < kept_; ++i) {
    out.write(actions_.col(i));
    policy::save(certificate(i), out);
  }
  for (std::size_t arm = 0; arm < proved_.size(); ++arm) {
    out.write(static_cast<std::uint64_t>(proved_[arm] ? 1 : 0));
    if (proved_[arm]) {
      policy::save(certificates_[arm], out);
    }
  }
}

void NestedMemory::load(ByteReader& in, const safety::Problem& problem) {
  kept_ = in.read_integer();
  if (kept_ < 0 || kept_ > actions_.cols()) {
    throw Error(ErrorCode::InvalidArgument, "snapshot", "must hold a possible number of actions");
  }
  for (Eigen::Index i = 0; i < kept_; ++i) {
    actions_.col(i) = load_action(in, problem);
    certificates_[static_cast<std::size_t>(i)] = load_certificate(in, problem);
  }
  for (std::size_t arm = 0; arm < proved_.size(); ++arm) {
    proved_[arm] = in.read_word() != 0;
    if (proved_[arm]) {
      certificates_[arm] = load_certificate(in, problem);
    }
  }
  proposed_ = proved_;
}

}  // namespace foothold::policy
