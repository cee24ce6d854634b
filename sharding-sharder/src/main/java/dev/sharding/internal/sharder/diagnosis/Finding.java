package dev.sharding.internal.sharder.diagnosis;

/**
 * Something that a person should know about a ring.
 *
 * @param severity how bad it is
 * @param check which check found it, in one word
 * @param subject what it is about, such as {@code secrets default/a}
 * @param message what was found
 * @param remedy what to do about it; empty if that is plain
 */
public record Finding(Severity severity, String check, String subject, String message, String remedy) {

	/**
	 * Creates a finding about something that does not work.
	 * @param check which check found it
	 * @param subject what it is about
	 * @param message what was found
	 * @param remedy what to do about it
	 * @return the finding
	 */
	public static Finding problem(String check, String subject, String message, String remedy) {
		return new Finding(Severity.PROBLEM, check, subject, message, remedy);
	}

	/**
	 * Creates a finding about something that works, and may not for long.
	 * @param check which check found it
	 * @param subject what it is about
	 * @param message what was found
	 * @param remedy what to do about it
	 * @return the finding
	 */
	public static Finding warning(String check, String subject, String message, String remedy) {
		return new Finding(Severity.WARNING, check, subject, message, remedy);
	}

	/**
	 * Creates a finding about something that somebody wanted so, or that was not checked.
	 * @param check which check found it
	 * @param subject what it is about
	 * @param message what was found
	 * @return the finding
	 */
	public static Finding note(String check, String subject, String message) {
		return new Finding(Severity.NOTE, check, subject, message, "");
	}

	/**
	 * How bad a finding is, from worst to best.
	 */
	public enum Severity {

		/** It does not work. */
		PROBLEM,

		/** It works, and may not for long. */
		WARNING,

		/** Somebody wanted it so, or it could not be checked. */
		NOTE

	}

}
