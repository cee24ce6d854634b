package dev.sharding.qos.spi;

/**
 * Who makes a request. What is not known is an empty text.
 *
 * @param controller the controller whose reconcile makes it
 * @param serviceAccount {@code namespace/name} of the process's service account
 * @param user the user that the API server sees
 * @param shard the shard's name
 */
public record Caller(String controller, String serviceAccount, String user, String shard) {

	private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

	/** Nothing is known. */
	public static final Caller UNKNOWN = new Caller("", "", "", "");

	/**
	 * Returns the caller's name in one kind of subject.
	 * @param kind the kind
	 * @return the name, empty if not known
	 */
	public String name(Subject.Kind kind) {
		return switch (kind) {
			case CONTROLLER -> this.controller;
			case SERVICE_ACCOUNT -> this.serviceAccount;
			case USER -> this.user;
			case SHARD -> this.shard;
		};
	}

	/**
	 * Returns the same process with a controller.
	 * @param name the controller's name
	 * @return the caller
	 */
	public Caller with(String name) {
		return new Caller(name, this.serviceAccount, this.user, this.shard);
	}

	/**
	 * Returns the same controller and shard with a user, and with the service account
	 * that the user is.
	 * @param name the user that the API server sees
	 * @return the caller; without a service account if the user is none
	 */
	public Caller as(String name) {
		String account = name.startsWith(SERVICE_ACCOUNT) ? name.substring(SERVICE_ACCOUNT.length()).replace(':', '/')
				: "";
		return new Caller(this.controller, account, name, this.shard);
	}

	/**
	 * Whether this is a controller of a process.
	 * @param process the process
	 * @param name the controller's name
	 * @return whether {@code process.with(name)} is equal
	 */
	public boolean isOf(Caller process, String name) {
		return this.controller.equals(name) && this.serviceAccount.equals(process.serviceAccount)
				&& this.user.equals(process.user) && this.shard.equals(process.shard);
	}

	/** Returns the most specific name that is known, for accounting by subject. */
	String mostSpecific() {
		for (Subject.Kind kind : Subject.Kind.values()) {
			if (!name(kind).isEmpty()) {
				return name(kind);
			}
		}
		return "";
	}

}
