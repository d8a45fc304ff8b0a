import TestSupport

@testable import ObjectStore
@testable import RestfulData

extension Store {
    /// Waits until that many callers wait for the replies to fetches. Those that share a request count each.
    @MainActor func waitForCallers(_ count: Int) async throws {
        let flights = try main.openFile().shared { Flights() }
        await until { flights.callerCount == count }
    }
}
