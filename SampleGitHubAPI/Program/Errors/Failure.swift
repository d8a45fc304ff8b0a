import ArgumentParser
import Foundation
import RestfulData

/// One line on standard error, and an exit status.
struct Failure {
    let status: ExitStatus
    let message: String

    init(_ error: any Error, _ arguments: [String]) {
        switch error {
        case APIError.unstored(let error, let request):
            // The library's own advice is for callers that still have the object.
            let what = "the server has done it, but it could not be stored here: \(error)"
            let advice = "The same command would do it again; a list fetches what was done."
            self.init(ExitStatus(error), "\(request): \(what) \(advice)")
        case let error as APIError: self.init(ExitStatus(error), error)
        case let error as StoreError: self.init(ExitStatus(error), error)
        case let error as CocoaError: self.init(.storeUnusable, error.localizedDescription)
        case let error as CommandError: self.init(error.status, error.message)
        case _ where SampleProgram.exitCode(for: error) == .validationFailure:
            let message = Misspelling(in: arguments)?.message ?? SampleProgram.message(for: error)
            self.init(.usage, message + " (--help says more)")
        default: self.init(.failure, "\(error)")
        }
    }

    private init(_ status: ExitStatus, _ message: some CustomStringConvertible) {
        self.status = status
        self.message = message.description
    }

    func report() {
        try? FileHandle.standardError.write(contentsOf: Data("SampleGitHubAPI: \(message.onOneLine)\n".utf8))
    }
}

/// Detected by a command itself.
struct CommandError: Error {
    let status: ExitStatus
    let message: String
}

extension ExitStatus {
    init(_ rejection: Rejection) {
        self =
            switch rejection.kind {
            case .invalid, .conflict: .invalidData
            case .gone: .notFound
            case .refused: rejection.status == 403 ? .notAllowed : .invalidData
            case .unsendable, .undecided: .failure
            }
    }

    init(_ error: APIError) {
        self =
            switch error {
            case .noAPI, .unidentified, .unknownTarget, .partialList, .repeatedMember, .alreadyCreated,
                .notYetCreated, .undecidedCreation, .unencodable, .unsendable, .unjoinable, .wrongContentType:
                .failure
            case .route, .service: .usage
            case .notStored: .unreachable
            case .transport(let error): ExitStatus(error.reason)
            case .reply(let reply): ExitStatus(reply.kind)
            case .conflict(let conflict): ExitStatus(conflict.reply.kind)
            case .body, .unread, .stream, .noObject, .otherObject, .notCreated, .accepted, .redirected, .leftOut:
                .notUnderstood
            case .unstored(let error, _), .store(let error): ExitStatus(error)
            }
    }

    private init(_ kind: ReplyError.Kind) {
        self =
            switch kind {
            case .validation, .conflict: .invalidData
            case .unauthorized, .forbidden: .notAllowed
            case .notFound: .notFound
            case .rateLimited, .server: .tryLater
            case .other: .notUnderstood
            }
    }

    private init(_ reason: TransportError.Reason) {
        self =
            switch reason {
            case .connectionRefused, .connectionFailed, .tls, .connectionLost: .unreachable
            case .timedOut, .limited, .circuitOpen: .tryLater
            case .credentialUnavailable, .tokenRefused: .notAllowed
            case .invalidURL: .usage
            case .malformedResponse, .undecoded, .tooLarge, .tooManyRedirects, .redirectLoop, .insecureRedirect,
                .invalidRedirect, .redirectedWrite:
                .notUnderstood
            case .unwritableFile, .unreadableBody: .ioFailed
            case .cancelled, .other: .failure
            }
    }

    init(_ error: StoreError) {
        self =
            switch error {
            case .models, .api, .wrongIdentity, .oversizedQuery, .notSearchable, .unanswerable: .usage
            case .file(.notADatabase, _), .file(.cannotOpen, _), .file(.readOnly, _), .file(.newerVersion, _),
                .file(.modelsChanged, _):
                .storeUnusable
            case .file, .constraint: .ioFailed
            case .json: .notUnderstood
            case .validation: .invalidData
            case .timedOut: .tryLater
            // The message has all of them.
            case .several(let errors): errors.first.map { ExitStatus($0) } ?? .failure
            case .rejected, .deletedObject, .closedStore, .endedContext, .otherActor, .foreignObject, .changedModel,
                .duplicateIdentity,
                .deleteDenied, .sharedObject, .embeddedObject, .lostEdits, .cancelled, .unsendable, .readOnlyProperty,
                .repeatedMember:
                .failure
            }
    }
}
