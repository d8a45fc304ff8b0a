import Observation

/// The tracked values of an object, as they were read.
final class ObservedObject {
    /// A property, or a state that every object has.
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

    enum Value: Equatable {
        case stored(StoredValue)
        case target(RowID?)
        case members([RowID])
        case flag(Bool)
        case names([String])
    }

    /// The registrar identifies a value by a key path of this type.
    private struct Object: Observable {
        subscript(aspect: Aspect) -> Bool { true }
    }

    private let registrar = ObservationRegistrar()
    private var known: [Aspect: Value] = [:]
    private var isUnified = false

    /// - Parameter value: called if the value isn't tracked yet.
    func noteRead(_ aspect: Aspect, _ value: () -> Value) {
        registrar.access(Object(), keyPath: \Object[aspect])
        if known[aspect] == nil { known[aspect] = value() }
    }

    func notify(_ value: (Aspect) -> Value) {
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

    /// The next ``notify(_:)`` notifies all observers, which track the survivor when they read again.
    func noteUnifying() { isUnified = true }

    private func wake(_ aspect: Aspect) { registrar.withMutation(of: Object(), keyPath: \Object[aspect]) {} }
}
