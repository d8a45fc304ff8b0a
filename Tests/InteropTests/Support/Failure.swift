import RestfulData
import Testing

/// The error that `body` throws; `nil` if it succeeds.
func failure(_ body: () async throws -> Void) async -> APIError? {
    do {
        try await body()
        return nil
    } catch let error as APIError {
        return error
    } catch {
        Testing.Issue.record("\(error) is no APIError")
        return nil
    }
}
