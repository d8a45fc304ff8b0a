package import Foundation

extension DispatchQueue {
    /// The queue that a store's file is written on.
    ///
    /// - Parameter file: a `StoreFile`, of which the queue is a private part.
    /// - Returns: nil where it has another form.
    package static func writing(_ file: Any) -> DispatchQueue? {
        var value = file
        for label in ["queue", "executor", "queue"] {
            guard let child = Mirror(reflecting: value).children.first(where: { $0.label == label }) else { return nil }
            value = child.value
        }
        return value as? DispatchQueue
    }
}
