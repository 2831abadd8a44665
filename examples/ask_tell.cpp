// The shortest complete use: a box of actions, one unknown constraint, a hundred safe rounds.

#include <cstdio>

#include <foothold/policy/targeted.hpp>

int main() {
  using namespace foothold;

  // Known: where actions live, what the constraint's form and limit are, how noisy losses can be.
  const safety::Problem problem{
      .decision_set = geometry::Box::symmetric(/*dim=*/2, /*half_width=*/1.0),
      .constraints = {{.matrix = Eigen::MatrixXd{{0.6, 1.8}, {1.8, 0.4}}, .limit = 0.9}},
      .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
  policy::Targeted policy(problem);

  // Unknown to the policy: the loss is μᵀx, and the constraint, never observed, is μᵀBx ≤ 0.9.
  const Eigen::Vector2d mu(0.9, 0.044);
  for (int round = 0; round < 100; ++round) {
    const policy::Decision& decision = policy.ask();
    const double loss = mu.dot(decision.action);  // play it, measure the loss
    policy.tell(decision.id, loss);
    if (round % 20 == 0 || round == 99) {
      const safety::ConstraintCertificate& why = decision.certificate.constraints.front();
      std::printf("round %2d  action (% .3f, % .3f)  loss % .3f  proved: %.3f <= %.1f (%s)\n",
                  round, decision.action(0), decision.action(1), loss, why.bound, why.limit,
                  name(why.kind).data());
    }
  }
}
