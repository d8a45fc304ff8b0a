public import Foundation

extension StoreError: LocalizedError {
    /// The error in English for your users, without URLs, paths and names of types: `Title can't be blank`.
    public var errorDescription: String? {
        switch self {
        case .models, .api: "The app can't open its data."
        case .file(let problem, _): problem.userText.what
        case .duplicateIdentity: "This exists already."
        case .deleteDenied(_, _, _, let count):
            "This can't be deleted while \(count == 1 ? "another item depends" : "\(count) others depend") on it."
        case .constraint: "The change can't be stored on this device."
        case .unsendable(_, let property, _): "\(UserText.name(of: property)) has a value that can't be stored."
        case .readOnlyProperty(_, let property): "\(UserText.name(of: property)) can't be changed."
        case .repeatedMember(_, let property): "\(UserText.name(of: property)) can't have an item twice."
        case .validation(let errors): Self.userText(of: errors)
        case .json, .rejected: "The data can't be read."
        case .oversizedQuery: "This search is too large."
        case .deletedObject: "This was deleted."
        case .changedModel, .endedContext: "This screen shows outdated data."
        case .lostEdits: "Some changes were lost before they were stored."
        case .closedStore: "The app has closed this data."
        case .timedOut: "Storing the data took too long."
        case .cancelled: "This was cancelled."
        case .sharedObject, .embeddedObject, .wrongIdentity, .notSearchable, .unanswerable, .otherActor, .foreignObject:
            "Something went wrong in the app."
        case .several(let errors): Self.userTexts(of: errors, \.errorDescription)
        }
    }

    /// The user's next step in English; nil if there is none.
    public var recoverySuggestion: String? {
        switch self {
        case .models, .api: UserText.contactSupport
        case .file(let problem, _): problem.userText.remedy
        case .duplicateIdentity: "Change the values that must be unique, or edit the existing item."
        case .deleteDenied: "Delete those first."
        case .constraint, .validation: "Correct it, and try again."
        case .unsendable: "Enter another value, and try again."
        case .repeatedMember: "Choose each item once, and try again."
        case .json, .rejected: UserText.tryLater
        case .oversizedQuery: "Search for less at once."
        case .changedModel, .endedContext, .closedStore: "Close the screen, and open it again."
        case .lostEdits: "Make the changes again."
        case .timedOut: UserText.tryAgain
        case .readOnlyProperty, .deletedObject, .cancelled: nil
        case .sharedObject, .embeddedObject, .wrongIdentity, .notSearchable, .unanswerable, .otherActor, .foreignObject:
            UserText.contactSupport
        case .several(let errors): Self.userTexts(of: errors, \.recoverySuggestion)
        }
    }

    private static func userText(of errors: [ValidationError]) -> String {
        let texts = errors.compactMap(\.errorDescription)
        return texts.isEmpty ? "Some values aren't accepted." : texts.joined(separator: "\n")
    }

    /// Each once, on a line of its own; nil if there is none.
    private static func userTexts(of errors: [StoreError], _ text: (StoreError) -> String?) -> String? {
        var seen: Set<String> = []
        let texts = errors.compactMap(text).filter { seen.insert($0).inserted }
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }
}

extension StoreError.FileProblem {
    fileprivate var userText: (what: String, remedy: String) {
        let reopen = "Quit the app, and open it again."
        return switch self {
        case .notADatabase, .damaged:
            ("The app's data on this device is damaged.", "Restore it from a backup, or contact the app's support.")
        case .cannotOpen, .unusablePath, .other:
            ("The app can't open its data on this device.", UserText.contactSupport)
        case .tooManyOpenFiles, .busy: ("The app's data is in use.", "Try again in a moment.")
        case .readOnly: ("The app isn't allowed to change its data on this device.", UserText.contactSupport)
        case .full: ("There is no space left on this device.", "Free some space, and try again.")
        case .gone: ("The app's data was replaced.", reopen)
        case .openWithOtherModels, .migratedElsewhere: ("Another version of the app uses the data.", reopen)
        case .newerVersion: ("The data is from a newer version of the app.", "Update the app.")
        case .modelsChanged, .migrationFailed:
            ("This version of the app can't take over the data.", "Update the app, or contact its support.")
        }
    }
}

extension ValidationError: LocalizedError {
    /// All messages in sentences, one on each line: `Title can't be blank`. The messages of your rules keep their
    /// language.
    public var errorDescription: String? {
        let sentences = UserText.sentences(fields, objectErrors: objectErrors)
        return sentences.isEmpty ? "Some values aren't accepted." : sentences.joined(separator: "\n")
    }

    /// Advises the user to correct the values, in English.
    public var recoverySuggestion: String? { "Correct it, and try again." }
}
