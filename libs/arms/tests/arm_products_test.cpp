#include "table/arm_products.hpp"

#include <gtest/gtest.h>

#include "random_program.hpp"

namespace foothold::arms {
namespace {

TEST(ArmProducts, AreTheValuesOfTheFormsUpToSinglePrecision) {
  RandomStream random(/*seed=*/101, /*stream=*/0);
  for (const Eigen::Index d : {1, 5, 32}) {
    for (const Eigen::Index count : {1, 2, 7}) {
      SCOPED_TRACE(::testing::Message() << "d = " << d << ", " << count << " forms");
      const Eigen::MatrixXd arms = testing::normal_matrix(random, ArmProducts::kTile, d);
      const Eigen::MatrixXd forms = testing::normal_matrix(random, d, count);
      const Eigen::VectorXd offsets = testing::normal_vector(random, count);
      ArmProducts products(d, count);
      for (Eigen::Index form = 0; form < count; ++form) {
        products.set(form, forms.col(form), offsets(form));
      }
      const Eigen::MatrixXf tile = arms.cast<float>();
      products.evaluate(tile.data(), count);
      for (Eigen::Index form = 0; form < count; ++form) {
        for (Eigen::Index i = 0; i < ArmProducts::kTile; ++i) {
          const double size = forms.col(form).norm() * arms.row(i).norm() + std::abs(offsets(form));
          EXPECT_NEAR(static_cast<double>(products.values(form)[i]),
                      arms.row(i).dot(forms.col(form)) - offsets(form),
                      (static_cast<double>(d) + 6.0) * 0x1p-24 * size);
        }
      }
    }
  }
}

}  // namespace
}  // namespace foothold::arms
