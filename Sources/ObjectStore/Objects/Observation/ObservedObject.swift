import Observation

/// What of an object somebody tracks, and what it was when it was read: changed is what is another value now.
final class ObservedObject {
    /// What can be read of an object: a property, or what every model says of itself.
    struct Aspect: Hashable, Sendable {
        fileprivate let number: Int

        private init(number: Int) { self.number = number }

        static func property(_ index: PropertyIndex) -> Aspect { Aspect(number: index.rawValue) }
        static let isDeleted = Aspect(number: -1)
        static let isInserted = Aspect(number: -2)
        static let hasChanges = Aspect(number: -3)
        static let changedProperties = Aspect(number: -4)
        static let unsentProperties = Aspect(number: -5)

        var property: PropertyIndex? { number >= 0 ? PropertyIndex(number) : nil }
    }

    /// What was read.
    enum Value: Equatable {
        case stored(StoredValue)
        case target(RowID?)
        case members([RowID])
        case flag(Bool)
        case names([String])
    }

    /// What the registrar tells apart by a key path.
    private struct Object: Observable {
        subscript(aspect: Aspect) -> Bool { true }
    }

    private let registrar = ObservationRegistrar()
    private var known: [Aspect: Value] = [:]
    private var isUnified = false

    /// Notes who tracks.
    ///
    /// - Parameter value: what is read, asked for where nobody has read it before.
    func noteRead(_ aspect: Aspect, _ value: () -> Value) {
        registrar.access(Object(), keyPath: \Object[aspect])
        if known[aspect] == nil { known[aspect] = value() }
    }

    /// Wakes those who track what is another value now.
    ///
    /// - Parameter value: what would be read.
    func tell(_ value: (Aspect) -> Value) {
        var changed: [Aspect] = []
        for (aspect, old) in known {
            let new = value(aspect)
            guard new != old || isUnified else { continue }
            known[aspect] = new
            changed.append(aspect)
        }
        isUnified = false
        for aspect in changed { wake(aspect) }
    }

    /// The object turned out to be another: all who track this one are woken, and track that from then on.
    func noteUnifying() { isUnified = true }

    private func wake(_ aspect: Aspect) { registrar.withMutation(of: Object(), keyPath: \Object[aspect]) {} }
}
