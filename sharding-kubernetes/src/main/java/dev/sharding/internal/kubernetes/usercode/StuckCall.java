package dev.sharding.internal.kubernetes.usercode;

import java.time.Duration;

/**
 * A call of user code that lasts longer than {@link UserCode#LIMIT}.
 *
 * @param bean whose code it is: the name of a controller, or the class of a listener
 * @param call what it does, such as {@code reconcile}
 * @param object the object that it is about, with its namespace; empty if it is about
 * none
 * @param running how long it has been running
 */
public record StuckCall(String bean, String call, String object, Duration running) {
}
