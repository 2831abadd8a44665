#pragma once

namespace foothold::arms {

// How far the state may go before a list of candidates expires, as a share of β. More latitude
// makes lists last longer and be longer; what is right depends on how fast the state moves, and is
// learnt from the last lists: a round with a list costs its share of the arms, and when it has
// expired a sweep over all arms is due, so that both should cost about the same in the long run.
// A matter of speed only.
class ArmLatitude {
 public:
  // For the list to be made now; 0: for this state only.
  double next();
  // The list just made with that was longer than can be used.
  void was_too_long();
  // A list with this share of all arms expired after so many rounds.
  void has_expired(int rounds, double share);

 private:
  void pause();

  static constexpr double kLeast = 1.0 / 64.0;
  static constexpr double kLargest = 1.0;

  double latitude_ = kLeast;
  int pause_ = 0;          // lists to come without latitude …
  int next_pause_ = 4;     // … and after the next vain attempt
  int patience_ = 0;       // lists to come before more latitude is tried …
  int next_patience_ = 4;  // … and after the next that is too long
};

}  // namespace foothold::arms
