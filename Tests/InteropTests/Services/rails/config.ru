# frozen_string_literal: true

require_relative "blog"

run Rails.application
