package dev.sharding.qos.spi;

/**
 * Who makes a request. What is not known is an empty text.
 *
 * @param controller the controller whose reconcile makes it
 * @param serviceAccount {@code namespace/name} of the process's service account
 * @param user the user that the API server sees
 * @param shard the shard's name
 * @param impersonates whether the user, and the service account, are those that the
 * process acts for, not its own
 */
public record Caller(String controller, String serviceAccount, String user, String shard, boolean impersonates) {

	private static final String SERVICE_ACCOUNT = "system:serviceaccount:";

	/**
	 * Creates a caller that acts for itself.
	 * @param controller the controller whose reconcile makes the request
	 * @param serviceAccount {@code namespace/name} of the process's service account
	 * @param user the user that the API server sees
	 * @param shard the shard's name
	 */
	public Caller(String controller, String serviceAccount, String user, String shard) {
		this(controller, serviceAccount, user, shard, false);
	}

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
		return new Caller(name, this.serviceAccount, this.user, this.shard, this.impersonates);
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
		return new Caller(this.controller, account, name, this.shard, this.impersonates);
	}

	/**
	 * Returns the same controller and shard, which acts for a user.
	 * @param name the user that the request names; that of the process is nobody else
	 * @return the caller; without a service account if the user is none
	 */
	public Caller actingFor(String name) {
		Caller as = as(name);
		return new Caller(as.controller, as.serviceAccount, as.user, as.shard, !name.equals(this.user));
	}

	/**
	 * Whether this is a controller of a process.
	 * @param process the process
	 * @param name the controller's name
	 * @return whether {@code process.with(name)} is equal
	 */
	public boolean isOf(Caller process, String name) {
		return this.controller.equals(name) && this.serviceAccount.equals(process.serviceAccount)
				&& this.user.equals(process.user) && this.shard.equals(process.shard)
				&& this.impersonates == process.impersonates;
	}

	/**
	 * Returns the most specific name that is known, for accounting by subject. Who acts
	 * for others is none of them.
	 */
	String mostSpecific() {
		if (this.impersonates) {
			return this.serviceAccount.isEmpty() ? this.user : this.serviceAccount;
		}
		for (Subject.Kind kind : Subject.Kind.values()) {
			if (!name(kind).isEmpty()) {
				return name(kind);
			}
		}
		return "";
	}

}
