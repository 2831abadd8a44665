#include "foothold/safety/safe_set.hpp"

namespace foothold::safety {

SafeSet::SafeSet(const Problem& problem, const SafetyRule& rule)
    : problem_(&problem), direction_(problem.dim()), image_(problem.dim()) {
  set_rule(rule);
}

void SafeSet::set_rule(const SafetyRule& rule) {
  rule_ = rule;
  caution_factor_ = safety::caution_factor(rule.caution, problem_->dim());
}

double SafeSet::width(std::size_t k, const Eigen::Ref<const Eigen::VectorXd>& z) const {
  if (rule_.caution == Caution::L1Exact) {
    image_.noalias() = region(k).root_inverse().transpose() * z;
    return image_.cwiseAbs().maxCoeff();
  }
  image_.noalias() = region(k).factor_inverse() * z;
  return image_.norm();
}

RayScale SafeSet::ray_scale(const Eigen::Ref<const Eigen::VectorXd>& u) const {
  RayScale ray = whole_ray();
  for (std::size_t k = 0; k < constraints(); ++k) {
    direction_.noalias() = matrix(k) * u;
    shorten(ray, k, upper_bound(k, direction_), prior_bound(k, direction_));
  }
  return ray;
}

void SafeSet::set_cone(std::size_t k, cone::Cone& cone) const {
  FOOTHOLD_ASSERT(rule_.caution != Caution::L1Exact);
  cone.a.noalias() = matrix(k).transpose() * region(k).mu_hat();
  whiten(k, cone.M);
  cone.rho = reach(k);
  cone.c = room(k);
}

void SafeSet::set_rows(std::size_t k, cone::ConeProgram& program, Eigen::Index first) const {
  FOOTHOLD_ASSERT(rule_.caution == Caution::L1Exact);
  const Eigen::Index d = region(k).dim();
  vertices_.resize(d, 2 * d);
  for (Eigen::Index vertex = 0; vertex < 2 * d; ++vertex) {
    region(k).vertex(vertex, vertices_.col(vertex));
  }
  program.G.middleRows(first, 2 * d).noalias() = vertices_.transpose() * matrix(k);
  program.h.segment(first, 2 * d).setConstant(room(k));
}

cone::Cone SafeSet::prior_cone(std::size_t k) const {
  const Eigen::Index d = problem_->dim();
  return {.a = Eigen::VectorXd::Zero(d),
          .M = matrix(k),
          .e = Eigen::VectorXd::Zero(d),
          .rho = norm_bound(k),
          .c = room(k),
          .is_centred = true};
}

void SafeSet::whiten(std::size_t k, Eigen::MatrixXd& product) const {
  product.noalias() = region(k).factor_inverse() * matrix(k);
}

}  // namespace foothold::safety
