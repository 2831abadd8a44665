// Draws how the certified set grows on the paper's polytope instance, as an SVG on standard output:
//     build/release/bin/example_draw_safe_set > docs/images/safe-set.svg

#include <cstdio>
#include <numbers>
#include <string>

#include <foothold/base/random_stream.hpp>
#include <foothold/policy/safe_lucb.hpp>

namespace {

using namespace foothold;

constexpr double kScale = 150.0;  // pixels per unit

std::string point(const Eigen::Vector2d& x) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f,%.1f ", 170.0 + kScale * x(0), 170.0 - kScale * x(1));
  return text;
}

// The border of the certified set, by bisection along rays: it is star-shaped around the origin.
std::string border(const policy::SafeLucb& policy) {
  constexpr int kRays = 360;
  std::string points;
  for (int ray = 0; ray < kRays; ++ray) {
    const double angle = 2.0 * std::numbers::pi * ray / kRays;
    const Eigen::Vector2d direction(std::cos(angle), std::sin(angle));
    double inside = 0.0;
    double outside = 2.0;
    for (int step = 0; step < 30; ++step) {
      const double middle = 0.5 * (inside + outside);
      (policy.certify(middle * direction).is_safe() ? inside : outside) = middle;
    }
    points += point(inside * direction);
  }
  return points;
}

void draw(const std::string& points, const char* colour, double opacity) {
  std::printf(
      "<polygon points=\"%s\" fill=\"%s\" fill-opacity=\"%.2f\" stroke=\"%s\" "
      "stroke-width=\"1.5\"/>\n",
      points.c_str(), colour, opacity, colour);
}

void label(double y, const char* colour, const char* text) {
  std::printf(
      "<rect x=\"352\" y=\"%.0f\" width=\"14\" height=\"14\" fill=\"%s\" fill-opacity=\"0.6\"/>"
      "<text x=\"374\" y=\"%.0f\">%s</text>\n",
      y, colour, y + 12.0, text);
}

}  // namespace

int main() {
  const Eigen::MatrixXd B{{0.6, 1.8}, {1.8, 0.4}};
  const Eigen::Vector2d mu(0.9, 0.044);
  const safety::Problem problem{.decision_set = geometry::Box::symmetric(2, 1.0),
                                .constraints = {{.matrix = B, .limit = 0.9}},
                                .assumptions = {.noise_scale = 0.1, .norm_bound = 1.0}};
  policy::SafeLucb policy(problem);
  RandomStream noise(/*seed=*/2019, /*stream=*/0);

  std::puts(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 340\" "
      "font-family=\"sans-serif\" "
      "font-size=\"14\">\n<rect width=\"640\" height=\"340\" fill=\"white\"/>");
  // The truth, which the learner never sees: the half-plane μᵀBx ≤ c within the box.
  const Eigen::Vector2d a = B.transpose() * mu;
  std::string truth = point({-1.0, -1.0});
  truth += point({1.0, -1.0});
  truth += point({1.0, (0.9 - a(0)) / a(1)});
  truth += point({-1.0, (0.9 + a(0)) / a(1)});
  draw(truth, "#9ecae1", 0.35);
  const char* const colours[] = {"#d95f02", "#7570b3", "#1b9e77"};
  std::string borders[3];
  const int rounds[] = {1, 20, 1000};
  int played = 0;
  for (int stage = 0; stage < 3; ++stage) {
    for (; played < rounds[stage] - 1; ++played) {
      const policy::Decision& decision = policy.ask();
      policy.tell(decision.id, mu.dot(decision.action) + 0.1 * noise.normal());
    }
    borders[stage] = border(policy);
  }
  for (int stage = 2; stage >= 0; --stage) {
    draw(borders[stage], colours[stage], 0.25);
  }
  std::printf("<polygon points=\"%s\" fill=\"none\" stroke=\"black\"/>\n",
              (point({-1, -1}) + point({1, -1}) + point({1, 1}) + point({-1, 1})).c_str());
  std::printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\"/>\n", 170.0 - kScale, 170.0 + kScale);
  label(40.0, "#9ecae1", "truly safe (never observed)");
  label(70.0, "#d95f02", "certified at round 1: the foothold");
  label(100.0, "#7570b3", "certified at round 20");
  label(130.0, "#1b9e77", "certified at round 1,000");
  std::puts(
      "<circle cx=\"359\" cy=\"167\" r=\"5\"/><text x=\"374\" y=\"172\">best safe action</text>");
  std::puts(
      "<text x=\"352\" y=\"206\" fill=\"#555\">Every action was certified before it</text>"
      "<text x=\"352\" y=\"226\" fill=\"#555\">was played; only losses were "
      "observed.</text>\n</svg>");
}
