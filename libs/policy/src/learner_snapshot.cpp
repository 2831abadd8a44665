#include <fmt/core.h>

#include "foothold/base/error.hpp"

#include "certificate_bytes.hpp"
#include "learner_core.hpp"

// The part of LearnerCore that turns its state into bytes and back.
namespace foothold::policy {
namespace {

// First words of a snapshot: "FHSNAP01" read as a number, then the format's version.
constexpr std::uint64_t kMagic = 0x3130'5041'4E53'4846U;
constexpr std::uint64_t kVersion = 4;

}  // namespace

std::uint64_t LearnerCore::fingerprint() const {
  Digest digest(safety::digest(problem));
  digest.add(static_cast<std::uint64_t>(kind_));
  digest.add(static_cast<std::uint64_t>(*options.optimism));
  digest.add(static_cast<std::uint64_t>(options.caution));
  digest.add(static_cast<std::uint64_t>(options.certified));
  digest.add(static_cast<std::uint64_t>(options.radius));
  digest.add(static_cast<std::uint64_t>(options.nested ? 1 : 0));
  digest.add(static_cast<std::uint64_t>(options.ridge_family ? 1 : 0));
  digest.add(static_cast<std::uint64_t>(options.warmup.schedule));
  digest.add(static_cast<std::uint64_t>(options.warmup.rounds));
  digest.add(options.warmup.safety_gap.value_or(0.0));
  digest.add(options.warmup.min_eigenvalue.value_or(0.0));
  digest.add(static_cast<std::uint64_t>(options.warmup.sampler));
  digest.add(options.rarely_switching.value_or(0.0));
  digest.add(options.search.gap);
  digest.add(static_cast<std::uint64_t>(options.search.nodes));
  digest.add(options.gap_growth);
  digest.add(options.exploration);
  digest.add(static_cast<std::uint64_t>(options.exploit));
  digest.add(static_cast<std::uint64_t>(options.horizon.value_or(0)));
  digest.add(options.seed);
  return digest.value();
}

void LearnerCore::save_held(ByteWriter& out) const {
  out.write(static_cast<std::uint64_t>(has_held_ ? 1 : 0));
  if (has_held_) {
    out.write(held_.action);
    out.write(held_.arm.value_or(-1));
    policy::save(held_.certificate, out);
    out.write(held_.optimistic_loss);
    out.write(held_.dual_bound);
    out.write(held_log_det_);
  }
}

void LearnerCore::load_held(ByteReader& in) {
  has_held_ = in.read_word() != 0;
  if (has_held_) {
    held_.action = in.read_matrix(problem.dim(), 1);
    const std::int64_t arm = in.read_integer();
    held_.arm = arm < 0 ? std::nullopt : std::optional<Eigen::Index>(arm);
    held_.certificate = load_certificate(in, problem.constraints.size());
    held_.optimistic_loss = in.read_double();
    held_.dual_bound = in.read_double();
    held_log_det_ = in.read_double();
  }
}

void LearnerCore::save(ByteWriter& out) const {
  out.write(kMagic);
  out.write(kVersion);
  out.write(fingerprint());
  out.write(random_.position());
  out.write(told_warmup_);
  estimate.save(out);
  if (family) {
    family->save(out);
  }
  pending.save(out);
  if (nested_) {
    nested_->save(out);
  }
  if (search_) {
    search_->save(out);
  }
  if (exact_) {
    exact_->save(out);
  }
  save_held(out);
  save_own(out);
}

void LearnerCore::load(ByteReader& in) {
  if (in.read_word() != kMagic) {
    throw Error(ErrorCode::InvalidArgument, "snapshot", "must be a snapshot of a policy");
  }
  const std::uint64_t version = in.read_word();
  if (version != kVersion) {
    throw Error(ErrorCode::InvalidArgument, "snapshot",
                fmt::format("must have version {}, got {}", kVersion, version));
  }
  if (in.read_word() != fingerprint()) {
    throw Error(ErrorCode::Conflict, "snapshot",
                "must belong to a policy of the same kind, problem and options");
  }
  random_ = RandomStream(options.seed, kDrawStream, in.read_word());
  told_warmup_ = in.read_integer();
  estimate.load(in);
  if (family) {
    family->load(in);
  }
  pending.load(in);
  if (nested_) {
    nested_->load(in);
  }
  if (search_) {
    search_->restore(in);
  }
  if (exact_) {
    exact_->restore(in);
  }
  load_held(in);
  region_count_.reset();
  load_own(in);
}

}  // namespace foothold::policy
