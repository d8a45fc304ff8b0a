import Testing

/// Random programs run by several contexts at once, beside an oracle.
struct SimulationTests {}
