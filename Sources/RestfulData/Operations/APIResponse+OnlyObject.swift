import JSONBytes
import RESTTransport

extension APIResponse {
    /// The response with the list's only object as its body; nil unless the list has one object.
    func onlyObject(at keys: [String]) -> APIResponse? {
        // The bytes outlive the reader.
        let object = unsafe body.withUnsafeBytes { bytes -> [UInt8]? in
            guard var reader = unsafe try? JSONReader(unsafe: bytes), (try? reader.enter(keys)) == true,
                (try? reader.peekKind()) == .array, (try? reader.enterArray()) == true,
                (try? reader.peekKind()) == .object, let fragment = try? reader.skipValue(),
                (try? reader.continueArray()) == false
            else { return nil }
            return unsafe Array(reader.bytes(of: fragment))
        }
        guard let object else { return nil }
        var response = self
        response.body = object
        return response
    }
}

extension JSONReader {
    fileprivate mutating func enter(_ keys: [String]) throws(JSONError) -> Bool {
        for key in keys {
            guard try peekKind() == .object, try enterObject() else { return false }
            var isFound = false
            repeat {
                isFound = isEqual(try readKey(), to: key)
                if isFound { break }
                _ = try skipValue()
            } while try continueObject()
            guard isFound else { return false }
        }
        return true
    }
}
