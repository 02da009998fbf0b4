//! Two clocks, one end.

use ptah_records::operator::time::Moment;
use ptah_records::operator::whole::Whole;

use super::*;

fn limits() -> RunLimits {
    RunLimits {
        window_seconds: Whole::new(600).unwrap(),
        dispatch_not_after: Moment::from_milliseconds(1_000_000).unwrap(),
        execution_not_after: Moment::from_milliseconds(1_600_000).unwrap(),
        connect_timeout_milliseconds: Whole::new(1_000).unwrap(),
        lock_timeout_milliseconds: Whole::new(1_000).unwrap(),
    }
}

fn at(boot: u64, wall: u64) -> Now {
    Now { boot: Duration::from_secs(boot), wall: Duration::from_secs(wall) }
}

#[test]
fn whichever_clock_says_first_that_it_is_over_is_believed() {
    let window = Window::of_run(&limits(), at(50, 900), Duration::from_secs(100));
    assert_eq!(window.left(at(50, 900)), Duration::from_secs(100));
    assert_eq!(window.left(at(149, 900)), Duration::from_secs(1), "a calendar that stands still makes nothing longer");
    assert!(window.is_over(at(150, 900)));
    assert!(window.is_over(at(60, 1_600)), "a calendar that is set forward ends it");
    assert_eq!(window.left(at(60, 10)), Duration::from_secs(90), "one that is set back changes nothing");
}

#[test]
fn a_budget_counts_from_the_sending_and_not_from_the_answer() {
    let window = Window::of_run(&limits(), at(0, 0), Duration::from_secs(5));
    assert!(window.is_over(at(5, 0)) && !window.is_over(at(4, 0)));
}

#[test]
fn the_end_is_asked_for_then_forced_then_given_up() {
    let window = Window::of_run(&limits(), at(0, 0), Duration::from_secs(10));
    let mut ending = Ending::default();
    assert_eq!(ending.next(window, true, false, at(3, 0)), Act::Wait(Duration::from_secs(1)));
    assert_eq!(ending.next(window, true, false, at(10, 0)), Act::Terminate);
    ending.ask(at(10, 0), KILL);
    assert_eq!(ending.next(window, true, false, at(10, 0)), Act::Terminate);
    assert_eq!(ending.next(window, true, true, at(39, 0)), Act::Wait(Duration::from_secs(1)));
    assert_eq!(ending.next(window, true, true, at(40, 0)), Act::Kill);
    ending.kill(at(40, 0));
    assert_eq!(ending.next(window, true, true, at(41, 0)), Act::Wait(Duration::from_millis(50)));
    assert_eq!(ending.next(window, true, true, at(50, 0)), Act::GiveUp);
}

#[test]
fn what_an_ended_process_left_is_killed_without_a_grace() {
    let window = Window::of_run(&limits(), at(0, 0), Duration::from_secs(10));
    assert_eq!(Ending::default().next(window, false, false, at(1, 0)), Act::Kill);
}

#[test]
fn a_shorter_grace_that_is_asked_for_later_counts_and_a_longer_one_does_not() {
    let window = Window::of_run(&limits(), at(0, 0), Duration::from_secs(10));
    let mut ending = Ending::default();
    ending.ask(at(1, 0), Duration::from_secs(30));
    ending.ask(at(2, 0), Duration::from_secs(5));
    assert_eq!(ending.next(window, true, true, at(7, 0)), Act::Kill);
    ending.ask(at(3, 0), Duration::from_mins(1));
    assert_eq!(ending.next(window, true, true, at(7, 0)), Act::Kill);
}
