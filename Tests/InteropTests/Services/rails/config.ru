# frozen_string_literal: true

require_relative "blog"

# How many bodies GETs were answered with: GET /sent.
class Sent
  def initialize(app)
    @app = app
    @bodies = 0
    @lock = Mutex.new
  end

  def call(env)
    return [200, { "content-type" => "text/plain" }, [@bodies.to_s]] if env["PATH_INFO"] == "/sent"
    status, headers, body = @app.call(env)
    return [status, headers, body] unless env["REQUEST_METHOD"] == "GET"
    chunks = []
    body.each { |chunk| chunks << chunk }
    body.close if body.respond_to?(:close)
    @lock.synchronize { @bodies += 1 } if chunks.any? { |chunk| !chunk.empty? }
    [status, headers, chunks]
  end
end

use Sent
run Rails.application
