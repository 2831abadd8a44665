#include "files/run_record.hpp"

#include "foothold/base/error.hpp"

namespace foothold::simulation {
namespace {

constexpr std::int64_t kNever = -1;

void write_round(ByteWriter& writer, const std::optional<std::int64_t>& round) {
  writer.write(round.value_or(kNever));
}

std::optional<std::int64_t> read_round(ByteReader& reader) {
  const std::int64_t round = reader.read_integer();
  return round == kNever ? std::nullopt : std::optional(round);
}

}  // namespace

Bytes encode_record(std::uint64_t item, const RunResult& run) {
  // All members by name: one that is added later does not compile here until it is recorded.
  const auto& [final_regret, violations, min_margin, warmup_rounds, explorations, has_lost_coverage,
               optimum_certified_round, failed_round, safety_gap, best_loss, trace_regret,
               trace_violations, seconds] = run;
  ByteWriter writer;
  writer.write(item);
  writer.write(final_regret);
  writer.write(violations);
  writer.write(min_margin);
  writer.write(warmup_rounds);
  writer.write(explorations);
  writer.write(static_cast<std::uint64_t>(has_lost_coverage ? 1 : 0));
  write_round(writer, optimum_certified_round);
  write_round(writer, failed_round);
  writer.write(safety_gap);
  writer.write(best_loss);
  writer.write(seconds);
  writer.write(static_cast<std::uint64_t>(trace_regret.size()));
  for (std::size_t i = 0; i < trace_regret.size(); ++i) {
    writer.write(trace_regret[i]);
    writer.write(trace_violations[i]);
  }
  return writer.sealed();
}

RunRecord decode_record(const Bytes& bytes) {
  ByteReader reader(bytes);
  RunRecord record{.item = reader.read_word()};
  RunResult& run = record.run;
  run.final_regret = reader.read_double();
  run.violations = reader.read_integer();
  run.min_margin = reader.read_double();
  run.warmup_rounds = reader.read_integer();
  run.explorations = reader.read_integer();
  run.has_lost_coverage = reader.read_word() != 0;
  run.optimum_certified_round = read_round(reader);
  run.failed_round = read_round(reader);
  run.safety_gap = reader.read_double();
  run.best_loss = reader.read_double();
  run.seconds = reader.read_double();
  const std::uint64_t points = reader.read_word();
  constexpr std::size_t kPointSize = 16;
  if (points != reader.remaining() / kPointSize) {
    throw Error(ErrorCode::InvalidArgument, "record", "must hold the trace that it announces");
  }
  run.trace_regret.reserve(points);
  run.trace_violations.reserve(points);
  for (std::uint64_t i = 0; i < points; ++i) {
    run.trace_regret.push_back(reader.read_double());
    run.trace_violations.push_back(reader.read_integer());
  }
  reader.finish();
  return record;
}

}  // namespace foothold::simulation
