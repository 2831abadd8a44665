#include "problem_file.hpp"

#include <string>

#include <Eigen/Core>

namespace foothold::oracle {
namespace {

void write(std::ostream& out, std::int64_t number) {
  out.write(reinterpret_cast<const char*>(&number), sizeof number);
}

void write(std::ostream& out, double number) {
  out.write(reinterpret_cast<const char*>(&number), sizeof number);
}

void write(std::ostream& out, const Eigen::MatrixXd& matrix) {
  out.write(reinterpret_cast<const char*>(matrix.data()),
            static_cast<std::streamsize>(sizeof(double)) * matrix.size());
}

}  // namespace

void write_header(std::ostream& out, std::int64_t records) {
  out << "FHCONE01";
  write(out, static_cast<std::int64_t>(families().size()));
  for (const Family& family : families()) {
    std::string name = family.name;
    write(out, static_cast<std::int64_t>(name.size()));
    name.resize((name.size() + 7) / 8 * 8, ' ');
    out << name;
  }
  write(out, records);
}

void write_record(std::ostream& out, const SolvedProblem& record) {
  const cone::ConeProgram& program = record.problem.program;
  const cone::ConeSolution& solution = record.solution;
  for (const std::int64_t number :
       {record.id, record.family, static_cast<std::int64_t>(program.dim()),
        static_cast<std::int64_t>(program.G.rows()),
        static_cast<std::int64_t>(program.cones.size()),
        static_cast<std::int64_t>(program.box_is_constraint),
        static_cast<std::int64_t>(record.is_warm), static_cast<std::int64_t>(solution.status),
        static_cast<std::int64_t>(solution.path), static_cast<std::int64_t>(solution.iterations)}) {
    write(out, number);
  }
  for (const Eigen::MatrixXd& matrix :
       {Eigen::MatrixXd(program.lower), Eigen::MatrixXd(program.upper),
        Eigen::MatrixXd(record.problem.v), program.G, Eigen::MatrixXd(program.h)}) {
    write(out, matrix);
  }
  for (const cone::Cone& cone : program.cones) {
    write(out, Eigen::MatrixXd(cone.a));
    write(out, cone.M);
    write(out, Eigen::MatrixXd(cone.e));
    write(out, cone.rho);
    write(out, cone.c);
  }
  write(out, Eigen::MatrixXd(solution.u));
  write(out, solution.value);
  write(out, solution.dual_bound);
  write(out, Eigen::MatrixXd(solution.multipliers.eta));
  write(out, Eigen::MatrixXd(solution.multipliers.tau));
  write(out, solution.multipliers.w);
  write(out, record.clp_value);
}

}  // namespace foothold::oracle
