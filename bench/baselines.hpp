#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

namespace foothold::bench {

// What no implementation of a round on a convex set avoids, more or less: one Cholesky
// factorisation and 2d matrix-vector products of size d, in Eigen, with everything allocated
// beforehand.
class DenseBaseline {
 public:
  explicit DenseBaseline(Eigen::Index d);
  // Returns a number that depends on all of it, so that nothing is left out.
  double run();

 private:
  Eigen::MatrixXd A_;
  Eigen::MatrixXd vectors_;
  Eigen::MatrixXd products_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
};

// One pass over the features of K arms: their product with a vector, in double precision.
class StreamBaseline {
 public:
  // Keeps a reference to the features.
  explicit StreamBaseline(const Eigen::MatrixXd& features);
  double run();

 private:
  const Eigen::MatrixXd* features_;
  Eigen::VectorXd vector_;
  Eigen::VectorXd scores_;
};

// Fresh arms: the product of the features with a d × d matrix.
class ProductBaseline {
 public:
  explicit ProductBaseline(const Eigen::MatrixXd& features);
  double run();

 private:
  const Eigen::MatrixXd* features_;
  Eigen::MatrixXd matrix_;
  Eigen::MatrixXd product_;
};

}  // namespace foothold::bench
