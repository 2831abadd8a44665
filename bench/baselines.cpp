#include "baselines.hpp"

#include <algorithm>

namespace foothold::bench {

DenseBaseline::DenseBaseline(Eigen::Index d)
    : A_(Eigen::MatrixXd::Identity(d, d) * static_cast<double>(2 * d)),
      vectors_(d, 2 * d),
      products_(d, 2 * d),
      factor_(d) {
  A_.array() += 1.0;
  for (Eigen::Index i = 0; i < 2 * d; ++i) {
    vectors_.col(i).setLinSpaced(d, -1.0, static_cast<double>(i));
  }
}

double DenseBaseline::run() {
  factor_.compute(A_);
  // One at a time, since a round needs them one after another: a product of matrices would be
  // faster for large d.
  for (Eigen::Index i = 0; i < vectors_.cols(); ++i) {
    products_.col(i).noalias() = A_ * vectors_.col(i);
  }
  return factor_.matrixLLT()(A_.rows() - 1, A_.cols() - 1) + products_(0, vectors_.cols() - 1);
}

StreamBaseline::StreamBaseline(const Eigen::MatrixXd& features)
    : features_(&features),
      vector_(Eigen::VectorXd::LinSpaced(features.cols(), -1.0, 1.0)),
      scores_(features.rows()) {}

double StreamBaseline::run() {
  // In blocks whose results stay in the cache: otherwise Eigen reads and writes them d/4 times.
  constexpr Eigen::Index kBlock = 1024;
  for (Eigen::Index start = 0; start < scores_.size(); start += kBlock) {
    const Eigen::Index rows = std::min(kBlock, scores_.size() - start);
    scores_.segment(start, rows).noalias() = features_->middleRows(start, rows) * vector_;
  }
  return scores_(scores_.size() - 1);
}

ProductBaseline::ProductBaseline(const Eigen::MatrixXd& features)
    : features_(&features),
      matrix_(Eigen::MatrixXd::Identity(features.cols(), features.cols())),
      product_(features.rows(), features.cols()) {
  matrix_.array() += 0.5;
}

double ProductBaseline::run() {
  product_.noalias() = *features_ * matrix_;
  return product_(product_.rows() - 1, 0);
}

}  // namespace foothold::bench
