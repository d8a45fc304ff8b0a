import RestfulData

/// Something that a context began and that goes on while other things happen.
///
/// It is used by the schedule's thread only.
final class Operation: @unchecked Sendable {
    @TaskLocal static var current: Operation?

    let step: Step
    let context: Int
    /// The thing that it is about; nil when it is about many.
    let name: Name?
    let fate: Step.Fate
    let began: Int
    var hasBegun = false
    var ended: Int?
    var error: (any Error)?

    init(_ step: Step, in context: Int, about name: Name? = nil, _ fate: Step.Fate = .whole, at time: Int) {
        self.step = step
        self.context = context
        self.name = name
        self.fate = fate
        self.began = time
    }

    var isDone: Bool { ended != nil }
}
