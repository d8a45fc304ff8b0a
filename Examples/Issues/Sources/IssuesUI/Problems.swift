import RestfulData
import SwiftUI

// The app shows the error of a fetch as a row in its list, and the error of an action as an alert. The messages of a
// form are below their fields. The texts are the library's English ones: `description` is for developers,
// `errorDescription` for users. An app in several languages switches over the errors instead.

extension APIError? {
    /// Keeps an error, to show it. A cancelled request is ignored: the user has left the screen.
    mutating func note(_ error: APIError) {
        if !error.isCancellation { self = error }
    }

    /// Whether there is an error, for an alert: `$problem.isPresent`.
    fileprivate var isPresent: Bool {
        get { self != nil }
        set { if !newValue { self = nil } }
    }
}

/// A row for the error of a fetch. The other rows show the objects of the store.
struct ProblemRow: View {
    let problem: APIError?

    var body: some View {
        if let problem {
            Label(problem.errorDescription ?? "", systemImage: "exclamationmark.triangle").foregroundStyle(.secondary)
        }
    }
}

/// The messages about one field of a form.
struct FieldErrors: View {
    let messages: [String]

    var body: some View {
        ForEach(messages, id: \.self) { message in
            Text(message).font(.caption).foregroundStyle(.red)
        }
    }
}

extension View {
    /// Shows the error of an action in an alert, until the user has read it.
    func problemAlert(_ problem: Binding<APIError?>) -> some View {
        alert("That Didn't Work", isPresented: problem.isPresent, presenting: problem.wrappedValue) { _ in
            Button("OK") {}
        } message: { error in
            Text([error.errorDescription, error.recoverySuggestion].compactMap(\.self).joined(separator: "\n"))
        }
    }
}
