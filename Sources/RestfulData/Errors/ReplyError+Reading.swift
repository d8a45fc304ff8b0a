import Foundation
import HTTPTypes
import ObjectStore
import RESTTransport

extension ReplyError {
    /// Reads a reply that is no success; `names` tell Swift names from the server's.
    init(_ response: APIResponse, _ names: FieldNames) {
        let status = response.status.code
        let json = try? JSONSerialization.jsonObject(with: Data(response.body), options: [.fragmentsAllowed])
        let details = ReplyDetails(json, status: status, names)
        self.status = status
        self.code = details.code
        self.fields = details.fields
        self.request = RequestSummary(response.request)
        self.body = Array(response.body.prefix(65_536))
        let wait = response.retryAfter ?? response.rateLimitReset
        self.retryAfter = status == 429 || status == 403 || status >= 500 ? wait : nil
        self.kind =
            switch status {
            case 400 where details.isValidation: .validation
            case 422: .validation
            case 401: .unauthorized
            case 403: wait == nil ? .forbidden : .rateLimited
            case 404, 410: .notFound
            case 409, 412: .conflict
            case 429: .rateLimited
            case 500...599: .server
            default: .other
            }
        // Where no values were refused, what is said of the object is said of the request: "No Article matches".
        let isAboutRequest = kind != .validation && details.message == nil && !details.objectErrors.isEmpty
        let said = details.objectErrors.joined(separator: "; ")
        self.message = isAboutRequest ? String(said.prefix(200)) : details.message
        self.objectErrors = isAboutRequest ? [] : details.objectErrors
    }
}
